/* The `tailor` command: reads the command line and runs the command on a thread with a large stack,
   so that a program nested as deeply as NESTING_LIMIT allows cannot exhaust it. A crash inside the
   compiler is told as what it is: an internal fault of the pass that ran. */
#include "driver/command.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#define STACK_SIZE ((size_t)256 << 20)
enum { SIGNAL_STACK_SIZE = 1 << 16 };

typedef struct Job {
    Command command;
    int exit_code;
} Job;

/* ---- faults --------------------------------------------------------------------------------- */

/* The compilation that a fault is told about: a signal handler has no other way to know it. */
static Compilation *volatile faulty_compilation;

static void say(const char *text)
{
    ssize_t written = write(STDERR_FILENO, text, strlen(text));
    (void)written;
}

static const char *fault_text(int signal)
{
    switch (signal) {
    case SIGSEGV: return "segmentation fault (or stack exhausted)";
    case SIGBUS: return "bus error";
    case SIGFPE: return "arithmetic exception";
    case SIGILL: return "illegal instruction";
    case SIGABRT: return "an assertion does not hold";
    default: return "unknown signal";
    }
}

static void report_fault(int signal)
{
    Compilation *c = faulty_compilation;
    say("tailor: internal fault in pass '");
    say(c && c->pass ? c->pass : "driver");
    say("': ");
    say(fault_text(signal));
    say("\n");
    _exit(EXIT_FAULT);
}

#ifdef SANITIZED
static const bool is_sanitized = true;
#else
static const bool is_sanitized = false;
#endif

/* Handlers run on a stack of their own, for the usual one may be what ran out. Sanitizers report
   such faults better than we do. */
static void catch_faults(Compilation *c)
{
    static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    faulty_compilation = c;
    if (is_sanitized) {
        return;
    }
    stack_t stack = {.ss_sp = arena_allocate(c->arena, SIGNAL_STACK_SIZE),
                     .ss_size = SIGNAL_STACK_SIZE};
    sigaltstack(&stack, NULL);
    struct sigaction action = {.sa_handler = report_fault, .sa_flags = SA_ONSTACK | SA_RESETHAND};
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        sigaction(signals[i], &action, NULL);
    }
}

/* The alternative stack is part of the arena: it must not be in use when that goes. */
static void stop_catching_faults(void)
{
    faulty_compilation = NULL;
    if (!is_sanitized) {
        sigaltstack(&(stack_t){.ss_flags = SS_DISABLE}, NULL);
    }
}

/* ---- commands ------------------------------------------------------------------------------- */

static int run_command(const Command *command)
{
    switch (command->name) {
    case COMMAND_RUN: return command_run(command);
    case COMMAND_BUILD: return command_build(command);
    case COMMAND_EMIT: return command_emit(command);
    case COMMAND_CHECK: return command_check(command);
    case COMMAND_OPT: return command_opt(command);
    case COMMAND_EXPLAIN: return command_explain(command);
    case COMMAND_COMPARE: return command_compare(command);
    case COMMAND_DEVICES: return command_devices(command);
    }
    return EXIT_USAGE;
}

static void *run_job(void *context)
{
    Job *job = context;
    catch_faults(job->command.c);
    job->exit_code = run_command(&job->command);
    stop_catching_faults();
    return NULL;
}

/* On a thread with a large stack; on this one where the system does not give us one. */
static void run_on_large_stack(Job *job)
{
    pthread_attr_t attributes;
    pthread_t thread;
    bool started = false;
    if (pthread_attr_init(&attributes) == 0) {
        started = pthread_attr_setstacksize(&attributes, STACK_SIZE) == 0 &&
                  pthread_create(&thread, &attributes, run_job, job) == 0;
        pthread_attr_destroy(&attributes);
    }
    if (started) {
        pthread_join(thread, NULL);
    } else {
        run_job(job);
    }
}

/* What was printed may still wait to be written, so that a full disk shows only at the end. Also
   where the process ends elsewhere: --help and --version are argp's. */
static void finish_output(int exit_code, void *context)
{
    (void)context;
    errno = 0;
    if (exit_code == EXIT_OK && (fflush(stdout) != 0 || ferror(stdout))) {
        fprintf(stderr, "tailor: standard output: %s\n", strerror(errno ? errno : EIO));
        _exit(EXIT_ERROR);
    }
}

int main(int argc, char **argv)
{
    on_exit(finish_output, NULL);
    Compilation *c = compilation_create();
    c->pass = "driver";
    Job job = {.command = command_parse(c, argc, argv), .exit_code = EXIT_FAULT};
    run_on_large_stack(&job);
    compilation_destroy(c);
    return job.exit_code;
}
