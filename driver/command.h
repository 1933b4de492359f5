/* A command line, understood: what options.c makes and every command takes. */
#ifndef DRIVER_COMMAND_H
#define DRIVER_COMMAND_H

#include "base/compilation.h"
#include "driver/pipeline.h"

#define TAILOR_VERSION "0.1"

/* Bad usage is 2, which argp and the commands share. */
enum { EXIT_OK = 0, EXIT_ERROR = 1, EXIT_USAGE = 2, EXIT_FAULT = 70 };

typedef enum CommandName {
    COMMAND_RUN,
    COMMAND_BUILD,
    COMMAND_EMIT,
    COMMAND_CHECK,
    COMMAND_OPT,
    COMMAND_EXPLAIN,
    COMMAND_COMPARE,
    COMMAND_DEVICES
} CommandName;

typedef enum Backend { BACKEND_OPENCL, BACKEND_C, BACKEND_INTERP } Backend;

typedef struct Command {
    Compilation *c;
    CommandName name;
    const char *file;        /* "-" is standard input; the first of several */
    VEC(const char *) files; /* build --lib and --python take several */
    Form language;           /* --language: of the files */
    bool language_given;
    const char *output; /* -o; NULL where not given */
    Backend backend;    /* -b */
    Form to;            /* emit --to */
    bool to_given;
    bool with_instances;    /* emit --to=tail without --no-instances */
    const char *device;     /* --device; NULL where not given */
    const char *compiler;   /* --cc; NULL where not given */
    const char *dump_after; /* NULL where not given */
    bool stats, verbose, profile;
    bool library, python;        /* build --lib, --python */
    double tolerance;            /* compare --tolerance */
    const char *passes;          /* opt --passes */
    bool explain, run_after;     /* opt --explain, --run */
    bool dot, svg;               /* explain --dot, --svg */
    int64_t stream_chunk;        /* --stream-chunk; 0: streams get all rows at once */
    VEC(const char *) quoted;    /* the words behind --, as they were given */
    bool is_quoted, is_last;     /* FILE is one of them; there was a second -- */
    VEC(const char *) arguments; /* for the program, as on its own command line: --n=10 */
} Command;

/* Reads the command line into a Command whose memory is the compilation's; sets the compilation's
   options. Bad usage ends the process with exit code 2, --help and --version with 0. */
Command command_parse(Compilation *c, int argc, char **argv);

/* The commands: each does all of its work and returns the exit code. */
int command_run(const Command *command);           /* run.c */
int command_build(const Command *command);         /* run.c */
int command_build_library(const Command *command); /* library.c */
int command_emit(const Command *command);          /* emit.c */
int command_check(const Command *command);         /* emit.c */
int command_opt(const Command *command);           /* opt.c */
int command_explain(const Command *command);       /* explain.c */
int command_compare(const Command *command);       /* compare.c */
int command_devices(const Command *command);       /* devices.c */
/* FORM_APL, FORM_TAIL_SOURCE or FORM_SOURCE: as --language says, else by the file's ending. */
Form command_language(const Command *command); /* emit.c */
/* Says that a program without an entry cannot run; EXIT_ERROR. */
int no_entry(const Command *command); /* run.c */
/* `run -b interp`: the core program interpreted, its effects those of the runtime. */
int interpret_program(const Command *command, const CoreProgram *program, const char *program_name);

#endif
