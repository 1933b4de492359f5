/* The order of the compiler's passes: see the table in pipeline.c. */
#ifndef DRIVER_PIPELINE_H
#define DRIVER_PIPELINE_H

#include "backend/kernel.h"
#include "tail/tail.h"

/* The forms that a program has on its way, each made from the one before it by a pass. */
typedef enum Form {
    FORM_APL,         /* an .apl file */
    FORM_TAIL_SOURCE, /* a .tail file */
    FORM_SOURCE,      /* a .core file */
    FORM_TOKENS,      /* text for people: the APL file's tokens */
    FORM_TREE, /* text for people: the file's raw syntax trees (APL, core's form for people) */
    FORM_TAIL,
    FORM_CORE,
    FORM_KERNELS,
    FORM_C,     /* text of a C file */
    FORM_OPENCL /* text of a C file with OpenCL kernels inside */
} Form;

typedef struct PassTime {
    const char *pass;
    double milliseconds;
} PassTime;

/* One program on its way. The members of forms not reached yet are NULL. */
typedef struct Pipeline {
    Compilation *c;
    const SourceFile *source;
    const char *program_name; /* the file's name without folder and ending */
    Form form;                /* now */
    Form goal;
    KernelTarget target;    /* of the kernel program */
    const char *dump_after; /* pass after which the program is printed to standard error; or NULL */
    bool with_instances;    /* print TAIL with instance lists */
    bool skip_races;        /* kernels are not searched for races, whatever else is verified */
    bool from_apl;          /* TAIL and core were made by the compiler: no core was read */
    const TailExp *tail;
    const CoreProgram *core;
    const KernelProgram *kernels;
    const KernelLibrary *library; /* what is to be one; NULL: a program */
    Text text;                    /* FORM_TOKENS, FORM_TREE, FORM_C, FORM_OPENCL */
    VEC(PassTime) times;
    size_t errors_before;                /* diagnostics of other files */
    size_t rule_counts[CORE_RULE_COUNT]; /* how often the simplifier applied each rule */
    CoreFusionLog *fusion;               /* what fusion did is noted here; NULL: nobody asks */
    const CoreProgram *before_fusion, *after_fusion;
} Pipeline;

/* FORM_TAIL_SOURCE or FORM_SOURCE where the name ends in .tail or .core, else FORM_APL. */
Form pipeline_language_of(const char *file);
/* "apl", "tail", "core"; false where there is no such language. */
bool pipeline_language_named(const char *name, Form *language);
/* "folder/life.apl" -> "life". */
const char *pipeline_program_name(Compilation *c, const char *file);
/* A pipeline at the beginning of its way. */
Pipeline pipeline_create(Compilation *c, const SourceFile *source, Form language);
/* A pipeline that begins with core made of programs that were checked. */
Pipeline pipeline_of_core(Compilation *c, const CoreProgram *program, const KernelLibrary *library);
/* Whether the goal lies on the way of a file in the present form: APL has all of them, core no
   TAIL, and only APL and core in the form for people have trees. */
bool pipeline_leads_to(const Pipeline *p, Form goal);
/* Runs the passes that lead to the goal. False where one reported diagnostics; tokens and trees are
   made even then. */
bool pipeline_run(Pipeline *p);
/* One transformation of FORM_CORE by its name, checked afterwards. */
bool pipeline_transform(Pipeline *p, const char *name);
bool pipeline_is_transformation(const char *name);
/* All of them, separated by ", ". */
const char *pipeline_transformation_names(Compilation *c);
/* The program in its present form, as text. */
void pipeline_print(Pipeline *p, Text *out);
/* "tokens", "tail", "c", ...; false where there is no such form that `emit --to` can ask for. */
bool pipeline_form_named(const char *name, Form *form);
bool pipeline_has_pass(const char *name);
/* All passes in order, separated by ", ". */
const char *pipeline_pass_names(Compilation *c);

#endif
