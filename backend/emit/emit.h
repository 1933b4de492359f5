/* What the printers of kernel programs share. Private to backend/emit/.

       narrow.c    32-bit indices of kernels, narrow sums of bools in sequential C
       simd.c      reductions as loops of vectors, in sequential C
       processor.c loops of kernels for processors
       common.c    names, types, literals, scalar expressions
       survey.c    what a program uses, found in one walk before printing
       commands.c  commands that read the same in every dialect; scalar effects; initialisers
       library.c   what a library has instead of main: its header, a function an entry
       python.c    a Python package's module around a library
       main.c      what surrounds the commands in a C file: tables, parts of a long main
       kernels.c   kernel_print: the kernel program for people
       c.c         emit_c: sequential C
       device.c    kernels as OpenCL C text
       atomics.c   their atomic updates
       groups.c    what their groups tell each other
       product.c   products of tiles, by matrix units
       opencl.c    emit_opencl: the C host program around them */
#ifndef BACKEND_EMIT_EMIT_H
#define BACKEND_EMIT_EMIT_H

#include "backend/slopes.h"

typedef enum EmitDialect {
    EMIT_KERNELS, /* the text form */
    EMIT_C,       /* sequential C: a buffer is a pointer */
    EMIT_HOST,    /* C beside OpenCL: a global buffer is a tl_buffer reference */
    EMIT_DEVICE   /* OpenCL C */
} EmitDialect;

/* What one walk over the program finds; arrays are indexed by variable number. */
typedef struct EmitSurvey {
    bool *assigned; /* scalar written after its declaration */
    bool *in_place; /* host buffer whose first mention makes it, at the top level: declared there */
    bool *seen;     /* mentioned */
    bool *changed;  /* stored into, or swapped: the first buffer of a class */
    bool *once;     /* mentioned once: where it is declared */
    const KernelCmd **file_names; /* the CONSTANTS of a buffer that only names files to READ */
    unsigned *alias;              /* union-find: buffers of one class may be the same memory */
    VEC(KernelVariable *) host_buffers; /* global buffers, in order of first mention */
    size_t *first_buffers;              /* where each entry's begin in host_buffers */
    VEC(const char *) arguments;        /* names of program arguments, each once */
    VEC(Span) places;   /* where memory is asked for: in program order, neighbours differ */
    bool device_checks; /* a kernel has a CHECK */
    bool device_f64, device_f32; /* a kernel computes with reals of that width */
    bool device_i64_atomics;     /* a kernel updates 64-bit elements atomically */
} EmitSurvey;

/* Below these a launch runs with 32-bit indices; the runtime's TL_SMALL, TL_SMALL_GROUPS. */
enum { EMIT_SMALL = 1 << 29, EMIT_SMALL_GROUPS = 1 << 20 };

/* 2*t + c. */
typedef struct EmitTwicePlus {
    const KernelExp *t, *c;
} EmitTwicePlus;

/* A block that is being printed, and how far; it stands in that command of the outer one. */
typedef struct EmitPrinted {
    const struct EmitPrinted *outer; /* NULL: it is a body's */
    KernelBlock block;
    size_t at;
} EmitPrinted;

/* A WHILE of sequential C is left at the end of a branch of `branch`, once `behind` is done. NULL: of none. */
typedef struct EmitLeaving {
    const KernelCmd *branch;
    bool then; /* it is the first one */
    KernelBlock behind;
} EmitLeaving;

typedef struct Emit {
    Compilation *c;
    const KernelProgram *program;
    EmitSurvey survey;
    const char *wide; /* the vector that DECLAREs of neighbours take their parts from */
    EmitDialect dialect;
    Text *out;
    int indent; /* levels, 4 columns each */
    /* of the kernel at work, by number (narrow.c); NULL before the first */
    bool *narrow;        /* is a tl_index; in sequential C, of emit_narrow_type */
    uint8_t *bool_bytes; /* of a bool that sequential C keeps in an integer; 0: it does not */
    bool *index_only;
    KernelRange *ranges;
    KernelSlope *slopes;
    /* of the kernel at work, arguments: integers and doubles of which it has the inverses */
    VEC(const KernelVariable *) divisors;
    VEC(const KernelVariable *) real_divisors;
    bool *squares;              /* a sum of squares of doubles: not below 0, not -0, or no number */
    VEC(size_t) ranged;         /* numbers with entries */
    const EmitPrinted *printed; /* what is being printed */
    PointerMap twice;  /* KernelExp of a sum -> EmitTwicePlus that it is printed as (twice.c) */
    bool on_processor; /* a kernel for processors is being printed */
    bool may_rest;     /* of GROUPs: it has `alive`, without which it does nothing */
    bool in_product;   /* the loop of a product is: emit_product has said what else does it */
    bool in_tiles; /* a kernel of tiles is: its loops are written out, though not for processors */
    bool writes_alone; /* what it writes is no other memory of it */
    const char *far; /* in a loop that is printed with near sines or remainders: see processor.c */
    bool near_integers;  /* the same of reals that become integers */
    int loops;           /* sequential loops around the command at work */
    bool in_simd;        /* in a loop of vectors: those inside it are written out */
    bool *file_scope;    /* by number: declared outside main, so that DECLARE assigns */
    const char **names;  /* by number: cache of emit_name */
    EmitLeaving leaving; /* the innermost WHILE around */
    size_t place_count;  /* places of the survey come to so far; the last one is the present one */
    bool is_at_place;    /* the program has said so where it is now */
    size_t part_count;   /* parts of long entries printed so far */
    const KernelLibrary *library; /* NULL: a program */
    /* Prints a command that the dialect writes in its own way; false: the shared way will do. */
    bool (*special)(struct Emit *e, const KernelCmd *command);
} Emit;

void emit_begin(Emit *e, Compilation *c, const KernelProgram *program, EmitDialect dialect);

/* ---- common.c ------------------------------------------------------------------------------ */

/* `text_number`; cannot be a keyword or a macro of C or OpenCL. */
const char *emit_name(Emit *e, const KernelVariable *variable);
/* Any text as an identifier. */
const char *emit_identifier(Compilation *c, const char *text);
/* The C type of a scalar, or of an element in memory. */
const char *emit_scalar_type(EmitDialect dialect, CorePrim prim);
const char *emit_element_type(EmitDialect dialect, CorePrim prim);
/* TL_F64, ... */
const char *emit_type_constant(CorePrim prim);
/* The value as text; never NULL. */
const char *emit_exp(Emit *e, const KernelExp *exp);
/* The same in parentheses where it is not a name, a constant or a call. */
const char *emit_operand(Emit *e, const KernelExp *exp);
/* The same in the position of an index, where integers do not wrap. */
const char *emit_index(Emit *e, const KernelExp *exp);
/* A C string literal, or NULL for NULL. */
const char *emit_quoted(Compilation *c, const char *text);
/* "life.apl:3: the line's text", fit for a comment; NULL where there is no place. */
const char *emit_place_comment(Compilation *c, Span span);
/* "life.apl:3"; NULL where there is no place. */
const char *emit_place_line(Compilation *c, Span span);

/* A quotient or remainder of integers, x / y or x % y, y a variable. */
bool emit_divides_by_variable(const KernelExp *exp);
/* The same where the kernel has y's inverse. */
bool emit_has_inverse(const Emit *e, const KernelExp *exp);

/* The type that a variable is declared with. */
const char *emit_variable_type(const Emit *e, const KernelVariable *variable);
/* What a variable is declared as: 32-bit arithmetic where it is a tl_index. */
const char *emit_definition(Emit *e, const KernelVariable *variable, const KernelExp *value);

/* ---- narrow.c ------------------------------------------------------------------------------ */

/* Which variables of a kernel are tl_index; afterwards emit_fits_index says whether an expression
   is surely a 32-bit integer in a small launch. */
void emit_narrow(Emit *e, const KernelCmd *kernel);
/* A comparison whether a sum of squares is below a constant, of whose double the lower half is 0:
   it is below exactly where its upper half is below `high`, as an unsigned integer. */
bool emit_compares_high_word(const Emit *e, const KernelExp *comparison, const KernelExp **sum,
                             uint32_t *high);
bool emit_fits_index(const Emit *e, const KernelExp *exp);
/* Which variables of a loop in sequential C are sums of bools, or bools that are integers, and the type of one: the
   narrowest that its interval fits, or as wide as what the loop reads. */
void emit_narrow_sums(Emit *e, const KernelCmd *loop);
const char *emit_narrow_type(const Emit *e, const KernelVariable *variable);
/* x = y of bools, x or y what a loop accumulates in an integer: vectors have x ^ !y. */
bool emit_adds_equality(const Emit *e, const KernelExp *exp);
/* x / y or x % y where neither is negative. */
bool emit_divides_naturally(const Emit *e, const KernelExp *exp);

/* ---- simd.c -------------------------------------------------------------------------------- */

/* A short loop of constant length that makes several numbers, some from others, as a least one and its place. */
bool emit_folds_together(Emit *e, const KernelCmd *loop);
/* The pragma that makes a reduction's loop one of vectors; NULL where there is none. */
const char *emit_simd(Emit *e, const KernelCmd *loop);
/* Its accumulators, and how each takes its operands; 0: it is no such loop. */
enum { EMIT_MOST_TOTALS = 8 };
typedef struct EmitTotal {
    const KernelVariable *variable;
    CoreOperator op;
} EmitTotal;
size_t emit_totals(Emit *e, const KernelCmd *loop, EmitTotal totals[EMIT_MOST_TOTALS]);

/* ---- processor.c --------------------------------------------------------------------------- */

/* An operator of doubles is in it. */
bool emit_computes_reals(KernelBlock block);
/* The pragma that makes a loop of a kernel for processors, without accumulators, one of vectors; NULL
   where there is none. */
const char *emit_vector_loop(Emit *e, const KernelCmd *loop);
/* A reduction with accumulators in lanes: whether the loop is one, and the loop with its blocks of
   iterations, then the rest; `bound` is the text of its count. */
bool emit_has_lanes(Emit *e, const KernelCmd *loop);
void emit_lanes(Emit *e, const KernelCmd *loop, const char *bound, const char *pragma,
                void (*print)(Emit *e, KernelBlock body));
/* A sine, cosine or power of doubles, of which kernels for processors have one for vectors of arguments that are not far. */
bool emit_may_be_far(const KernelExp *exp);
/* A real that becomes an integer of 64 bits, for which AVX2 has no vectors but of those that are not far. */
bool emit_is_to_integer(const KernelExp *exp);
/* Whether a loop has such, or remainders of doubles, and may run a second time after it has run. */
bool emit_may_repeat(Emit *e, const KernelCmd *loop);
/* Prints the loop with those for what is near, then, for where an argument was far, without. */
void emit_twice_around(Emit *e, const KernelCmd *loop,
                       void (*print)(Emit *e, const KernelCmd *loop));

/* ---- divide.c ------------------------------------------------------------------------------ */

/* A quotient of doubles by a constant: what to multiply by instead, the nearest double to 1 / y, and
   where that is not near enough what it lacks, else 0. */
bool emit_divides_by_constant(const KernelExp *exp, double *high, double *low);
/* The variable that a quotient of doubles is by, else NULL; whether the kernel at work has its
   reciprocal. */
const KernelVariable *emit_real_divisor(const KernelExp *exp);
bool emit_has_reciprocal(const Emit *e, const KernelVariable *divisor);

/* ---- twice.c ------------------------------------------------------------------------------- */

/* Where a loop of a kernel has sums 2*t + c that one operation can be: the condition for that. Until
   the end such sums are printed so. NULL: it has none. */
const char *emit_twice_begin(Emit *e, const KernelCmd *loop);
void emit_twice_end(Emit *e);

/* ---- leave.c ------------------------------------------------------------------------------- */

/* Where sequential C leaves the loop, a WHILE. */
EmitLeaving emit_leaving(const Emit *e, const KernelCmd *loop);

/* ---- survey.c ------------------------------------------------------------------------------ */

/* A constant, or a variable from outside the loop that is never assigned. */
bool emit_is_fixed(const Emit *e, const KernelCmd *loop, const KernelExp *exp);
EmitSurvey emit_survey(Compilation *c, const KernelProgram *program);
/* The representative of a buffer's alias class. */
unsigned emit_alias_class(const EmitSurvey *survey, const KernelVariable *buffer);
/* Something is stored into the buffer, or into one that may be the same memory. */
bool emit_is_changed(const EmitSurvey *survey, const KernelVariable *buffer);
/* Whether the buffer was allocated in the block that is being printed, and no other is the same
 * memory. */
bool emit_is_fresh(const Emit *e, const KernelVariable *buffer);
/* Whether no other buffer among a function's is the same memory as this one where either is
   written: then it is restrict. */
bool emit_is_alone(const Emit *e, const KernelFreeVec *used, const KernelFree *item);
/* Whether a command of the host may ask the runtime for memory. */
bool emit_asks_memory(const KernelCmd *command);
/* Whether a command, or one inside it, may stand on the host only. */
bool emit_is_host_only(const KernelCmd *command);
/* Whether a CHECK is in the block or inside its commands. */
/* Whether the block of a GROUP has an ARRIVE. */
bool emit_has_arrival(KernelBlock block); /* ARRIVE or MEET */
/* 64-bit words of a group's status, where groups look back: a word has 32 bits of what is
   published in the block or inside its commands. 0: they do not. */
size_t emit_status_words(KernelBlock block);
/* The same of all statuses of one group. */
size_t emit_group_words(KernelBlock block);
/* Calls `visit` for each expression that the command itself has (not those of its blocks). */
void emit_each_exp(const KernelCmd *command, void (*visit)(void *context, const KernelExp *exp),
                   void *context);

/* ---- commands.c ---------------------------------------------------------------------------- */

/* One line at the present indentation. */
void emit_line(Emit *e, const char *format, ...) __attribute__((format(printf, 2, 3)));
void emit_blank(Emit *e);
void emit_block(Emit *e, KernelBlock block);
void emit_command(Emit *e, const KernelCmd *command);

/* Text that can stand in a comment. */
const char *emit_comment(Compilation *c, const char *text);
/* (tl_value[]){...}: the values of a CHECK. */
const char *emit_failure_values(Emit *e, const KernelCmd *check);
/* {1, 2, 3}: the values of a CONSTANTS. */
const char *emit_constants(Emit *e, const KernelCmd *constants);
/* (const int64_t[]){n, m}: an effect's shape. */
const char *emit_shape(Emit *e, const KernelEffect *effect);
/* Before a command of the host that may ask for memory: tl_at(its place). */
void emit_at(Emit *e, const KernelCmd *command);
/* The command makes, or releases, what only names files: nothing is to be done. */
bool emit_names_file(const Emit *e, const KernelCmd *command);
/* Declares the name of a READ's file, where no command makes a buffer of it, and gives its name; NULL
   where effect->source has it. */
const char *emit_file_name(Emit *e, const KernelEffect *effect);
/* READ: the call of the runtime with this text for the file's name, for whose result an array
   NAME_shape is declared. FORMAT: the call with what the host has in these two buffers; it sets
   NAME_count. Then the number of elements that were made, and assignments to their extents. */
const char *emit_read_call(Emit *e, const KernelEffect *effect, const char *file);
const char *emit_format_call(Emit *e, const KernelEffect *effect, const char *fields,
                             const char *source);
const char *emit_made_count(Emit *e, const KernelEffect *effect);
void emit_made_extents(Emit *e, const KernelEffect *effect);
/* Effects without buffers, the same for both hosts: ARGUMENT, NOW, DRAWS, SEED, SEED_NOW, BENCH,
   and PARAMETER and RESULT of scalars. */
void emit_scalar_effect(Emit *e, const KernelEffect *effect);

/* A CALL. `give` has a buffer be another one's memory for the time of the call, `take` moves a
   buffer's memory to another one. */
typedef void EmitBuffers(Emit *e, const KernelVariable *to, const KernelVariable *from);
void emit_call(Emit *e, const KernelCmd *command, EmitBuffers *give, EmitBuffers *take);

/* ---- main.c -------------------------------------------------------------------------------- */

/* Comment that opens a generated file. */
void emit_file_comment(Emit *e, const char *program_name, const char *kind, const char *command);
/* static const tl_failure failures[]: the program's, then one for each place of the survey. */
void emit_failures(Emit *e);
/* static const char *const parameters[]. */
void emit_parameters(Emit *e);
/* static const tl_entry entries[]. */
void emit_entries(Emit *e);
/* "entry_1_main", "function_2_f": the function of an entry, or of what entries call. */
const char *emit_entry_name(Emit *e, size_t entry);
/* Its opening lines. */
void emit_entry_head(Emit *e, size_t entry);
/* main(), which chooses an entry; begin and end: commands around it, or NULL; again: the function
   that says whether to run it once more. */
void emit_main_function(Emit *e, const char *program_name, const char *begin, const char *again,
                        const char *end);
/* Whether the entry is split into parts, whose variables are the file's. */
bool emit_is_long(const KernelEntry *entry);
/* Before a variable of the file: "static ", in libraries one a thread. */
const char *emit_file_storage(const Emit *e);
/* In libraries, at the beginning of what has buffers that are variables of the file. */
void emit_forget_buffers(Emit *e, size_t entry, const char *suffix);
/* Declares functions that entries call, with their parameters and results, which are the file's: no
   function calls itself. `declare` does so for a buffer. */
void emit_functions(Emit *e,
                    void (*declare)(Emit *e, const KernelVariable *buffer, const char *storage));
/* Declares the outermost scalars of the long entries at file scope. */
void emit_file_scalars(Emit *e);
/* Appends the entry's commands as functions part_1, part_2, ... and calls them here. */
void emit_parts(Emit *e, Text *functions, size_t entry);

/* ---- library.c ----------------------------------------------------------------------------- */

/* The header's declarations, for the library's own file. */
void emit_library_declarations(Emit *e);
/* NAME_open and the other functions of the header; device: what tl_library_open is given for it. */
void emit_library_functions(Emit *e, const char *device);

/* ---- device.c ------------------------------------------------------------------------------ */

typedef struct EmitOpencl {
    Emit e; /* first: Emit * and EmitOpencl * convert */
    Text kernels, functions, main;
    Text table; /* rows of the host's table of kernels */
    size_t kernel_count;
    bool in_group;             /* at the top level of a GROUP loop */
    const char *item;          /* what a GRID loop calls its item; NULL: the loop is no such */
    VEC(const char *) atomics; /* names of the atomic functions defined so far */
    PointerMap same;           /* a kernel's text without names, interned -> its name */
    /* of the kernel printed last: */
    size_t kernel_start;   /* where its text begins in `kernels` */
    size_t group_size;     /* work-items of a group */
    size_t status_words;   /* see emit_status_words */
    size_t word;           /* see tl_kernel */
    const char *arguments; /* "2, (const tl_argument[]){TL_READS(x_2), TL_WRITES(y_3)}" */
} EmitOpencl;

/* Appends a GRID or GROUP loop as a kernel. */
void emit_kernel_text(EmitOpencl *ce, const KernelCmd *loop);
/* The function that is the kernel printed last, called `name`: it, or one which is the same; then
   its text goes (same.c). */
const char *emit_same_kernel(EmitOpencl *ce, const char *name);

/* ---- atomics.c, groups.c, product.c: commands of kernels ------------------------------------- */

void emit_device_atomic(EmitOpencl *ce, const KernelCmd *command);
void emit_device_exchange(Emit *e, const KernelCmd *command);
void emit_device_retry(Emit *e, const KernelCmd *command);
void emit_arrive(Emit *e, const KernelCmd *command);
void emit_ticket(Emit *e, const KernelCmd *command);
void emit_publish(EmitOpencl *ce, const KernelCmd *command);
void emit_await(EmitOpencl *ce, const KernelCmd *command);
void emit_swap(Emit *e, const KernelCmd *command);
/* MEET; and the end of a kernel that has one. */
void emit_meet(Emit *e);
void emit_parting(Emit *e);
/* A FOR that is a product. */
void emit_product(Emit *e, const KernelCmd *loop);

#endif
