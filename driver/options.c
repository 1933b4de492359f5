/* The command line, by glibc's argp: `tailor COMMAND` chooses one of the command tables below, and
   each command has its own --help. What several commands share (the options of the compilation
   itself) is a child parser. */
#include "driver/command.h"

#include <argp.h>
#include <errno.h>
#include <stdlib.h>

/* Two names that argp itself wants as globals. */
const char *argp_program_version = "tailor " TAILOR_VERSION;
const char *argp_program_bug_address = NULL;

enum { /* keys of options without a letter */
       KEY_INT = 256,
       KEY_REAL,
       KEY_DUMP_AFTER,
       KEY_VERIFY_EACH,
       KEY_FLATTEN_ALL,
       KEY_GROUP_ALL,
       KEY_KEEP_CALLS,
       KEY_PROVE_RACES,
       KEY_STATS,
       KEY_DEVICE,
       KEY_CC,
       KEY_PROFILE,
       KEY_VERBOSE,
       KEY_TO,
       KEY_PASSES,
       KEY_EXPLAIN,
       KEY_RUN,
       KEY_STREAM_CHUNK,
       KEY_ENTRY,
       KEY_NO_INSTANCES,
       KEY_PROCESSORS,
       KEY_LANGUAGE,
       KEY_LIBRARY,
       KEY_PYTHON,
       KEY_TOLERANCE,
       KEY_DOT,
       KEY_SVG
};

/* ---- values of options -------------------------------------------------------------------- */

static int parse_bits(struct argp_state *state, const char *option, const char *text)
{
    if (strcmp(text, "32") == 0) {
        return 32;
    }
    if (strcmp(text, "64") != 0) {
        argp_error(state, "--%s is 32 or 64, not '%s'", option, text);
    }
    return 64;
}

static double parse_tolerance(struct argp_state *state, const char *text)
{
    char *end;
    double tolerance = strtod(text, &end);
    if (*text == '\0' || *end != '\0' || !(tolerance >= 0 && tolerance < 1)) {
        argp_error(state, "--tolerance is a number from 0 to below 1, not '%s'", text);
    }
    return tolerance;
}

static int64_t parse_rows(struct argp_state *state, const char *text)
{
    char *end;
    errno = 0;
    long long rows = strtoll(text, &end, 10);
    if (*text == '\0' || *end != '\0' || errno != 0 || rows < 1) {
        argp_error(state, "--stream-chunk is a number from 1, not '%s'", text);
    }
    return rows;
}

static Backend parse_backend(struct argp_state *state, const char *text)
{
    if (strcmp(text, "c") == 0) {
        return BACKEND_C;
    }
    if (strcmp(text, "interp") == 0) {
        return BACKEND_INTERP;
    }
    if (strcmp(text, "opencl") != 0) {
        argp_error(state, "unknown backend '%s': opencl, c or interp", text);
    }
    return BACKEND_OPENCL;
}

/* Commands that run the program. */
static bool takes_arguments(const Command *command)
{
    return command->name == COMMAND_RUN || command->name == COMMAND_COMPARE ||
           (command->name == COMMAND_OPT && command->run_after);
}

/* The program's own option --NAME=TEXT. */
static void add_option(Command *command, const char *name, const char *text)
{
    vec_push(command->c->arena, &command->arguments,
             arena_printf(command->c->arena, "--%s=%s", name, text));
}

/* n=10 -> --n=10; a value ("a=b", say) as it is. Programs in APL take no values. */
static void add_argument(struct argp_state *state, Command *command, const char *text)
{
    bool takes_values = command_language(command) == FORM_SOURCE;
    bool is_named = strchr(text, '=') && !strchr("=[\"'@0123456789", text[0]);
    if (!takes_arguments(command) || (!is_named && !takes_values)) {
        argp_error(state, "'%s' is one argument too many%s", text,
                   takes_arguments(command) ? " (arguments of the program are NAME=VALUE, or "
                                              "stand after --)"
                                            : "");
    }
    vec_push(command->c->arena, &command->arguments,
             is_named ? arena_printf(command->c->arena, "--%s", text) : text);
}

/* argp cannot tell: it moves FILE behind the --, too. */
static bool is_quoted(const Command *command, const char *text)
{
    for (size_t i = 0; i < command->quoted.count; i++) {
        if (command->quoted.items[i] == text) {
            return true;
        }
    }
    return false;
}

/* What stands behind --: the program's words as they are. Where FILE does, too (its name may begin
   with -), there may be a second --, and up to it n=10 is --n=10. */
static void add_quoted(struct argp_state *state, Command *command, const char *text)
{
    bool is_before = command->is_quoted && !command->is_last;
    if (is_before && strcmp(text, "--") == 0) {
        command->is_last = true;
    } else if (is_before && text[0] != '-') {
        add_argument(state, command, text);
    } else {
        vec_push(command->c->arena, &command->arguments, text);
    }
}

/* ---- the options of every compilation ------------------------------------------------------- */

static const struct argp_option compile_options[] = {
    {"language", KEY_LANGUAGE, "NAME", 0,
     "What FILE is: apl, tail or core (default: by its ending)", 1},
    {"int", KEY_INT, "BITS", 0, "Width of integers: 64 (default) or 32", 1},
    {"real", KEY_REAL, "BITS", 0, "Width of reals: 64 (default) or 32", 1},
    {"dump-after", KEY_DUMP_AFTER, "PASS", 0, "Print the program after this pass to standard error",
     2},
    {"verify-each", KEY_VERIFY_EACH, NULL, 0, "Check the program again after every pass", 2},
    {"flatten-all", KEY_FLATTEN_ALL, NULL, 0,
     "Flatten every map nest for OpenCL, whatever its sizes may be (for tests)", 2},
    {"group-all", KEY_GROUP_ALL, NULL, 0,
     "Have work-groups do the rows of a nest for OpenCL wherever they can (for tests)", 2},
    {"keep-calls", KEY_KEEP_CALLS, NULL, 0,
     "Have calls stay as in a program that is too large for all to be inlined (for tests)", 2},
    {"prove-races", KEY_PROVE_RACES, NULL, 0,
     "With --verify-each: stop where a kernel is not proven to have no race (for tests)", 2},
    {"stats", KEY_STATS, NULL, 0,
     "Say how large each form of the program is and how long each pass took", 2},
    {0},
};

static error_t parse_compile_option(int key, char *text, struct argp_state *state)
{
    Command *command = state->input;
    Options *options = &command->c->options;
    switch (key) {
    case KEY_LANGUAGE:
        if (!pipeline_language_named(text, &command->language)) {
            argp_error(state, "unknown language '%s': apl, tail or core", text);
        }
        command->language_given = true;
        return 0;
    case KEY_INT: options->int_bits = parse_bits(state, "int", text); return 0;
    case KEY_REAL: options->real_bits = parse_bits(state, "real", text); return 0;
    case KEY_DUMP_AFTER:
        if (!pipeline_has_pass(text)) {
            argp_error(state, "no pass is called '%s'; they are %s", text,
                       pipeline_pass_names(command->c));
        }
        command->dump_after = text;
        return 0;
    case KEY_VERIFY_EACH: options->verify_each = true; return 0;
    case KEY_FLATTEN_ALL: options->flatten_all = true; return 0;
    case KEY_GROUP_ALL: options->group_all = true; return 0;
    case KEY_KEEP_CALLS: options->keep_calls = true; return 0;
    case KEY_PROVE_RACES: options->prove_races = true; return 0;
    case KEY_STATS: command->stats = true; return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp compile_argp = {
    compile_options, parse_compile_option, NULL, NULL, NULL, NULL, NULL};
static const struct argp_child compile_child[] = {{&compile_argp, 0, "", 1}, {0}};

/* ---- the commands' own options -------------------------------------------------------------- */

#define OPTION_BACKEND                                                                             \
    {                                                                                              \
        "backend", 'b', "NAME", 0, "opencl (default), c, or interp (the interpreter; run only)", 0 \
    }
#define OPTION_CC                                                                                  \
    {                                                                                              \
        "cc", KEY_CC, "COMMAND", 0, "The C compiler (default: $CC, or cc)", 0                      \
    }
#define OPTION_OUTPUT(what)                                                                        \
    {                                                                                              \
        "output", 'o', "FILE", 0, what, 0                                                          \
    }
#define OPTION_VERBOSE                                                                             \
    {                                                                                              \
        "verbose", KEY_VERBOSE, NULL, 0,                                                           \
            "Show the C compiler's command line and what the cache does", 0                        \
    }

#define OPTION_STREAM_CHUNK                                                                        \
    {                                                                                              \
        "stream-chunk", KEY_STREAM_CHUNK, "ROWS", 0,                                               \
            "How many rows the interpreter gives to a stream at a time (default: all)", 0          \
    }

#define OPTION_ENTRY                                                                               \
    {                                                                                              \
        "entry", KEY_ENTRY, "NAME", 0,                                                             \
            "Which entry of a core program to run (default: main, or its only one)", 0             \
    }

#define OPTION_DEVICE                                                                              \
    {                                                                                              \
        "device", KEY_DEVICE, "DEVICE", 0,                                                         \
            "OpenCL device: a number or part of a name, see `tailor devices' "                     \
            "(default: $TAILOR_DEVICE)",                                                           \
            0                                                                                      \
    }
static const struct argp_option run_options[] = {
    OPTION_BACKEND,
    OPTION_DEVICE,
    OPTION_CC,
    {"profile", KEY_PROFILE, NULL, 0,
     "Report the time that each kernel took, transfers, and memory of the device", 0},
    OPTION_VERBOSE,
    OPTION_STREAM_CHUNK,
    OPTION_ENTRY,
    OPTION_OUTPUT("Write the entry's results to .npy files: FILE, or FILE.1.npy, FILE.2.npy, ..."),
    {0},
};
static const struct argp_option build_options[] = {
    OPTION_BACKEND,
    OPTION_CC,
    {"lib", KEY_LIBRARY, NULL, 0,
     "Make a C library instead: NAME.h, libNAME.so and libNAME.a, with a function for each FILE "
     "(for "
     "each entry of a core program)",
     0},
    {"python", KEY_PYTHON, NULL, 0, "Make a Python package instead, with NumPy arrays in and out",
     0},
    OPTION_OUTPUT("Name of the executable, library or package, or a folder for it (default: the "
                  "program's name without ending)"),
    OPTION_VERBOSE,
    {0},
};
static const struct argp_option emit_options[] = {
    {"to", KEY_TO, "FORM", 0, "tokens, tree, tail, core, kernels, c or opencl", 0},
    {"backend", 'b', "NAME", 0, "For --to=kernels: opencl (default) or c", 0},
    {"no-instances", KEY_NO_INSTANCES, NULL, 0, "Print TAIL without instance lists", 0},
    {"processors", KEY_PROCESSORS, NULL, 0,
     "For --to=kernels of OpenCL: with the kernels for devices that are processors", 0},
    OPTION_OUTPUT("Where to write (default: standard output)"),
    {0},
};
static const struct argp_option opt_options[] = {
    {"passes", KEY_PASSES, "PASS,...", 0,
     "Passes of core, in this order; those of a build are inline, strategy, in-turn (for C), "
     "limits, simplify, lengths, "
     "updates (for OpenCL), orders, fuse and unroll, then stream, bits and pair-scatters (for C), "
     "flatten, row-orders, capacities, stream-items, pair, "
     "loop-scalars and device-branches (for OpenCL), in-place, and library (for libraries, as the "
     "last)",
     0},
    {"explain", KEY_EXPLAIN, NULL, 0, "Say which rule was applied how often", 0},
    {"run", KEY_RUN, NULL, 0, "Interpret the result instead of printing it", 0},
    OPTION_ENTRY,
    OPTION_STREAM_CHUNK,
    OPTION_OUTPUT("Where to write (default: standard output)"),
    {0},
};
static const struct argp_option explain_options[] = {
    {"dot", KEY_DOT, NULL, 0, "The data-flow graphs before and after fusion, for Graphviz", 0},
    {"svg", KEY_SVG, NULL, 0, "The same as a picture, drawn by Graphviz's `dot'", 0},
    OPTION_OUTPUT("Where to write (default: standard output)"),
    {0},
};
static const struct argp_option compare_options[] = {
    OPTION_DEVICE,
    OPTION_CC,
    OPTION_ENTRY,
    {"tolerance", KEY_TOLERANCE, "X", 0,
     "By how much numbers may differ, relatively to the larger one (default: 1e-9)", 0},
    {0},
};
static const struct argp_option no_options[] = {{0}};

static error_t parse_command_option(int key, char *text, struct argp_state *state)
{
    Command *command = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        if (command->name != COMMAND_DEVICES) { /* the one without compile_child */
            state->child_inputs[0] = command;
        }
        return 0;
    case 'b': command->backend = parse_backend(state, text); return 0;
    case 'o':
        if (command->name == COMMAND_RUN) {
            add_option(command, "output", text);
        }
        command->output = text;
        return 0;
    case KEY_DEVICE: command->device = text; return 0;
    case KEY_CC: command->compiler = text; return 0;
    case KEY_PROFILE: command->profile = true; return 0;
    case KEY_VERBOSE: command->verbose = true; return 0;
    case KEY_NO_INSTANCES: command->with_instances = false; return 0;
    case KEY_PROCESSORS: command->c->options.processors = true; return 0;
    case KEY_LIBRARY: command->library = true; return 0;
    case KEY_PYTHON: command->python = true; return 0;
    case KEY_TOLERANCE: command->tolerance = parse_tolerance(state, text); return 0;
    case KEY_PASSES: command->passes = text; return 0;
    case KEY_EXPLAIN: command->explain = true; return 0;
    case KEY_RUN: command->run_after = true; return 0;
    case KEY_DOT: command->dot = true; return 0;
    case KEY_SVG: command->svg = true; return 0;
    case KEY_ENTRY: add_option(command, "entry", text); return 0;
    case KEY_STREAM_CHUNK: command->stream_chunk = parse_rows(state, text); return 0;
    case KEY_TO:
        if (!pipeline_form_named(text, &command->to)) {
            argp_error(state, "unknown form '%s': tokens, tree, tail, core, kernels, c or opencl",
                       text);
        }
        command->to_given = true;
        return 0;
    case ARGP_KEY_ARG:
        if (command->name == COMMAND_DEVICES) {
            argp_error(state, "it takes no arguments");
        } else if (!command->file || command->name == COMMAND_BUILD) {
            command->is_quoted = is_quoted(command, text);
            command->file = command->file ? command->file : text;
            vec_push(command->c->arena, &command->files, text);
        } else if (is_quoted(command, text) && takes_arguments(command)) {
            add_quoted(state, command, text);
        } else {
            add_argument(state, command, text);
        }
        return 0;
    case ARGP_KEY_END:
        if (!command->file && command->name != COMMAND_DEVICES) {
            argp_error(state, "which FILE?");
        }
        if (command->library && command->python) {
            argp_error(state, "--lib makes a C library, --python a Python package: which one?");
        }
        if (command->files.count > 1 && !command->library && !command->python) {
            argp_error(state,
                       "'%s' is one argument too many (--lib and --python take several files)",
                       command->files.items[1]);
        }
        if (command->name == COMMAND_EMIT && !command->to_given) {
            argp_error(state, "say what to print by --to=FORM");
        }
        if (command->name == COMMAND_OPT && !command->passes) {
            argp_error(state, "say which passes by --passes=PASS,...");
        }
        if (command->backend == BACKEND_INTERP && command->name != COMMAND_RUN) {
            argp_error(state, "the backend interp can only run programs");
        }
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

typedef struct CommandEntry {
    const char *name;
    CommandName command;
    struct argp argp;
} CommandEntry;

#define COMMAND(options, usage, text, children)                                                    \
    {                                                                                              \
        options, parse_command_option, usage, text, children, NULL, NULL                           \
    }

static const CommandEntry commands[] = {
    {"run", COMMAND_RUN,
     COMMAND(
         run_options, "FILE [NAME=VALUE...] [VALUE...] [-- ARGUMENT...]",
         "Compile FILE (.apl, .tail or .core; - is APL on standard input) and run it now. Built "
         "programs are kept in a cache ($TAILOR_CACHE, or tailor in $XDG_CACHE_HOME or ~/.cache), "
         "so that a "
         "second run starts at once.\v"
         "NAME=VALUE gives the program argument that the program asks for by ⎕ArgInt 'NAME'; so "
         "does --NAME=VALUE after --. The exit code is the program's.\n\n"
         "The parameters of a core program's entry get the VALUEs in their order, and what is not "
         "given is read from standard input. A VALUE is 3, 2.5, true, 'a', [1, 2, 3], "
         "[[1, 2], [3, 4]], \"text\", empty([0][3]i64), or @FILE: a file with a value or a .npy "
         "file. "
         "Negative numbers stand after --. Results are printed in the same way.",
         compile_child)},
    {"build", COMMAND_BUILD,
     COMMAND(build_options, "FILE...",
             "Compile FILE to an executable, or one or several FILEs to a library.\v"
             "In a library, what a program asks for by ⎕ArgInt 'n' or reads by ⎕ReadFile 'n.txt' "
             "at top "
             "level is a parameter n of its function, and what it prints at top level are the "
             "function's "
             "results. The header says how to call it.",
             compile_child)},
    {"emit", COMMAND_EMIT,
     COMMAND(emit_options, "--to=FORM FILE", "Print FILE as any stage of the compiler sees it.",
             compile_child)},
    {"check", COMMAND_CHECK,
     COMMAND(
         no_options, "FILE",
         "Report the errors in FILE that show before it runs; write nothing else.\v"
         "A function of APL is checked where it is called, for the arguments that it gets there: "
         "in one that is never called only syntax errors are seen.",
         compile_child)},
    {"opt", COMMAND_OPT,
     COMMAND(opt_options, "--passes=PASS,... FILE",
             "Run passes of core alone and print the result.", compile_child)},
    {"explain", COMMAND_EXPLAIN,
     COMMAND(explain_options, "FILE",
             "Tell what became of the program FILE on the GPU: which of its array operations were "
             "fused, "
             "which kernels there are, and what each of them computes, reads and writes.\v"
             "Where a producer and a consumer of an array were not fused, it says why. Reads and "
             "writes "
             "are counted for each row of a kernel; with branches, at least and at most.",
             compile_child)},
    {"compare", COMMAND_COMPARE,
     COMMAND(
         compare_options, "FILE [ARGUMENT...]",
         "Run FILE on every backend (interp, c, opencl) and say whether they agree, or where they "
         "first differ.\v"
         "Arguments and values are as for `tailor run'; standard input is given to each. Exit code "
         "0 "
         "where all agree, 1 where they differ.",
         compile_child)},
    {"devices", COMMAND_DEVICES,
     COMMAND(no_options, NULL, "List the OpenCL devices, numbered as --device takes them.", NULL)},
};
enum { COMMAND_COUNT = sizeof commands / sizeof commands[0] };

/* ---- the command itself --------------------------------------------------------------------- */

static error_t parse_main_option(int key, char *text, struct argp_state *state)
{
    const CommandEntry **entry = state->input;
    switch (key) {
    case ARGP_KEY_ARG:
        for (size_t i = 0; i < COMMAND_COUNT; i++) {
            if (strcmp(text, commands[i].name) == 0) {
                *entry = &commands[i];
            }
        }
        if (!*entry) {
            argp_error(
                state,
                "unknown command '%s': run, build, emit, check, explain, opt, compare or devices%s",
                text, strchr(text, '.') ? " (`tailor run FILE' runs a program)" : "");
        }
        state->next = state->argc; /* the rest is the command's */
        return 0;
    case ARGP_KEY_NO_ARGS: argp_error(state, "which COMMAND?"); return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp main_argp = {
    no_options,
    parse_main_option,
    "COMMAND [ARGUMENT...]",
    "tailor compiles APL to GPUs (OpenCL) and to C.\n\n"
    "  tailor run FILE                compile and run now\n"
    "  tailor build FILE -o OUT       make an executable; with --lib a C library,\n"
    "                                 with --python a Python package\n"
    "  tailor emit --to=FORM FILE     print any stage: tokens, tree, tail, core,\n"
    "                                 kernels, c, opencl\n"
    "  tailor check FILE              report errors, write nothing\n"
    "  tailor explain FILE            tell what was fused, and what each kernel does\n"
    "  tailor opt --passes=... FILE   run passes of core alone, print the result\n"
    "  tailor compare FILE            run on every backend, say whether they agree\n"
    "  tailor devices                 list OpenCL devices\v"
    "`tailor COMMAND --help' tells more about each. Exit codes: 1 for an error in the program "
    "(when "
    "compiling or running), 2 for bad usage, 70 for a fault of tailor itself.",
    NULL,
    NULL,
    NULL,
};

/* Where the command's own name stands in argv: the first word that is not an option. */
static int command_index(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] != '-' || argv[i][1] == '\0') {
            return i;
        }
    }
    return argc;
}

static void note_quoted(Command *command, int argc, char **argv)
{
    int i = 1;
    while (i < argc && strcmp(argv[i], "--") != 0) {
        i++;
    }
    for (i++; i < argc; i++) {
        vec_push(command->c->arena, &command->quoted, argv[i]);
    }
}

Command command_parse(Compilation *c, int argc, char **argv)
{
    argp_err_exit_status = EXIT_USAGE;
    const CommandEntry *entry = NULL;
    argp_parse(&main_argp, argc, argv, ARGP_IN_ORDER, NULL, &entry);
    int first = command_index(argc, argv);
    Command command = {.c = c,
                       .name = entry->command,
                       .backend = BACKEND_OPENCL,
                       .with_instances = true,
                       .tolerance = 1e-9};
    note_quoted(&command, argc - first, argv + first);
    argv[first] = arena_printf(c->arena, "tailor %s", entry->name);
    argp_parse(&entry->argp, argc - first, argv + first, 0, NULL, &command);
    return command;
}
