/* The imperative kernel language: what core is lowered to and what C and OpenCL are printed from
   ([DPIA] sections 3 and 4; commands, acceptors and expressions are its three phrase types).

   One program holds the host's commands and, inside FOR loops of level GRID or GROUP, the kernels'.
   Outside such loops a command runs on the host, where LOAD and STORE of a global buffer are device
   transfers (in C: plain accesses). A program whose loops are all SEQ is sequential C; a program
   with parallel loops can also be printed as sequential C, for every parallel loop's iterations are
   independent (backend/race/ states it) and barriers stand between loops:

       GRID   i < n     one work-item an iteration, no cooperation
       GROUP  g < n     one work-group an iteration; its body is made of LOCAL loops, BARRIERs, SEQ and WHILE
                        loops of uniform trip count around those, SWAPs, DECLAREs of local buffers,
                        DECLAREs of private ones, of which each work-item has its own for the
                        whole kernel, and DECLAREs of scalars that are uniform in the group
       LOCAL  l < size  one work-item of the group an iteration; size is a constant, the same in the
                        whole kernel

   By this shape barriers stand only where control flow is uniform, as OpenCL demands. */
#ifndef BACKEND_KERNEL_H
#define BACKEND_KERNEL_H

#include "core/entries.h"

typedef enum KernelSpace {
    KERNEL_SCALAR, /* not a buffer */
    KERNEL_GLOBAL, /* device memory; on the host side a reference to it */
    KERNEL_LOCAL,  /* of a work-group; constant count */
    KERNEL_PRIVATE /* of a work-item; constant count */
} KernelSpace;

/* A constant extent below it is small enough for 32 bits whatever is added to an index. */
enum { KERNEL_SMALL_EXTENT = 1 << 28 };

typedef struct KernelVariable {
    const char *text;
    unsigned number;
    CorePrim prim; /* of the scalar, or of a buffer's elements; never CORE_CERT */
    KernelSpace space;
    bool is_row; /* a scalar: the number of a row, not negative and below a width that is an
                    argument of the kernel, or a small constant */
    const struct KernelExp *row_of; /* the number of a row: how many there are; else NULL */
    const char *meaning;            /* a condition of the compiler's own, in words; else NULL */
    /* One i64 of the device's, memory of its own: while it is negative, kernels that have it as `ahead` do
       nothing. */
    bool is_word;
    bool is_total; /* a scalar: accumulates a reduction whose operator commutes, so that operands
                      may come in any order */
    /* A buffer: each group of a kernel for processors has so many elements of it, at group * piece; else NULL. */
    const struct KernelExp *piece;
    /* Not 0: an i64 is from 0 to that: a scalar; or the elements of a PRIVATE buffer, below 256, which sequential C keeps in
       bytes. */
    unsigned most;
    Span span;
} KernelVariable;

typedef enum KernelExpKind {
    KERNEL_CONSTANT,
    KERNEL_VARIABLE, /* a scalar */
    KERNEL_UNARY,
    KERNEL_BINARY,
    KERNEL_CONVERT,
    KERNEL_SELECT, /* condition ? x : y, only the chosen one evaluated */
    KERNEL_LOAD    /* buffer[index] */
} KernelExpKind;

typedef struct KernelExp {
    KernelExpKind kind;
    CorePrim prim;  /* of the value */
    unsigned nodes; /* size of the tree, itself included */
    bool by_reals; /* i64 DIV, MOD: |x| < 2^51 and 1 <= y <= 2^49, so that doubles find the quotient
                    */
    bool fused;    /* ADD of reals, y a product: rounded once where the device is quick at that */
    bool natural; /* i64 DIV, MOD: x is not negative and y is positive, plain machine division does;
                      ADD: it does not wrap, and the C compiler may know */
    union {
        CoreAtom constant;
        KernelVariable *variable;
        struct {
            CoreOperator op;
            CorePrim prim;
            const struct KernelExp *x, *y;
        } scalar;
        const struct KernelExp *convert;
        struct {
            const struct KernelExp *condition, *x, *y;
        } select;
        struct {
            KernelVariable *buffer;
            const struct KernelExp *index;
        } load;
    } as;
} KernelExp;

typedef enum KernelLevel { KERNEL_SEQ, KERNEL_GRID, KERNEL_GROUP, KERNEL_LOCAL_LOOP } KernelLevel;

typedef enum KernelCmdKind {
    KERNEL_DECLARE,  /* scalar `variable` = value (NULL: undefined until assigned); LOCAL or PRIVATE
                        buffer of `count` (constant) elements */
    KERNEL_ALLOCATE, /* global buffer `variable` of `count` elements, contents undefined; host only
                      */
    KERNEL_ALIAS,    /* global buffer `variable` = the same memory as `source`; host only. On a
                        declared buffer it drops the old reference first */
    KERNEL_RELEASE,  /* drops the reference that `variable` holds; host only. Memory goes with the
                        last one */
    KERNEL_RESERVE, /* memory for ALLOCATEs to come, where there is room for it: of `values` each three, all i64, so
                       many pieces of so many elements of so many bytes (a constant); host only */
    KERNEL_CONSTANTS, /* global buffer `variable` = `values` (constants); host only */
    KERNEL_ASSIGN,    /* scalar `variable` = value */
    KERNEL_STORE,     /* variable[index] = value */
    KERNEL_ATOMIC, /* variable[index] = variable[index] op value, atomically; op is associative and
                      commutative */
    KERNEL_EXCHANGE, /* the declared scalar `variable` = source[index] and source[index] = value,
                        atomically */
    KERNEL_RETRY, /* scalar `variable`, declared here, = source[index]; body; source[index] = value:
                     atomically, for the body is repeated where another work-item came between.
                     Elements of 32 or 64 bits */
    KERNEL_COPY, /* count elements of `source` from source_index to variable[index]...; host only */
    KERNEL_FOR,  /* `variable` (i64) from 0 to below count */
    KERNEL_WHILE, /* as long as the scalar bool `variable` is true */
    KERNEL_IF,
    KERNEL_BARRIER, /* between LOCAL loops of a GROUP: local and global memory of the group */
    KERNEL_ARRIVE,  /* where a barrier may stand in a GROUP: the LOCAL bool variable[0] = all other
                       groups of the kernel have come here before, so that what they stored can be
                       read; a barrier on either side. With `index` and `value`: all others of the
                       `value` groups that come with this index, below KERNEL_MOST_ARRIVALS */
    KERNEL_TICKET,  /* at the top of a GROUP: the LOCAL i64 variable[0] = how many groups of the
                       kernel have come here before, so that these have started; a barrier on either
                       side */
    KERNEL_PUBLISH, /* the kernel's status `index`, one of this group's = published, with the bool `value`
                       and the scalars `values`; twice at most, first with false */
    KERNEL_AWAIT,  /* waits until the status `index` is published; declares the bool `variable` and
                       the scalars `payload`, which are what was published, all at one time. Only
                       where the device looks back, and of groups that have an earlier ticket */
    KERNEL_MEET,   /* at the top of a GROUP or of a SEQ loop there: no group goes on before all
                       groups of the kernel have come here, and what they stored can be read. Only
                       where all of them run at once ("resident_groups") */
    KERNEL_SWAP,   /* beside MEET: `variable` and `source`, global buffers that are nobody else's
                       memory, exchange what memory they are, for the rest of the kernel. Or in a GROUP, behind a
                       BARRIER: local buffers of one type */
    KERNEL_CHECK,  /* the declared bool `variable` (or NULL) = value; where false: record failure
                       number `failure` with `values`. On the host a failure ends the program with
                       its message; of those in a kernel that with the least `index` does, which is
                       the work-item's number where it is NULL, and of one work-item its first */
    KERNEL_EFFECT, /* see KernelEffect; host only */
    KERNEL_CALL,   /* runs entry `number`, a function: its parameters are `values`, those that are
                       scalars, and `sources`, those that are arrays; its results are `payload`,
                       declared here: scalars, and buffers that are nobody else's memory. Host only */
    KERNEL_AHEAD, /* in a WHILE with `ahead`: declares the bool `variable`, whether this iteration is the
                     last. The host need not wait for the device to know: it may go on, and do
                     iterations that are none. Without `value`, where the device decides, the loop's
                     place `number`: when the host looks, and it was here in an iteration before that
                     the device decided to end, `sources` (buffers) and `payload` (scalars) are again
                     what they were then, and it is true. With `value`: the value, and that no
                     iteration before was the last, for which the host looks where the value is true.
                     Host only */
    KERNEL_COMMENT /* text, printed as a comment */
} KernelCmdKind;

typedef enum KernelEffectKind {
    KERNEL_PRINT, /* array: source, from element `start` on (NULL: the first), shape; scalar: value;
                     is_complex */
    KERNEL_READ,  /* variable (buffer, made here) and its extents, rank of them: prim of variable,
                     format; file name in source, its length in second */
    KERNEL_ARGUMENT,      /* result = program argument `name`, or value */
    KERNEL_NOW,           /* result */
    KERNEL_DRAWS,         /* result, value */
    KERNEL_SEED,          /* value */
    KERNEL_SEED_NOW,      /* result */
    KERNEL_PRECISION,     /* value */
    KERNEL_PRECISION_NOW, /* result */
    KERNEL_DEVICE,    /* result = what the device is good at, by `name`: "work_items" that keep it
                         busy, "lanes" that read together (1: each for itself),
                         "looks_back" (a bool): groups that have started run on while others wait,
                         "resident_groups" of 1024 work-items that surely run at the same time; 0:
                         not known, "copied_bytes" that are copied as quickly as the host waits,
                         "matrix_units" (a bool): it has some for f64,
                         "is_processor" (a bool): it runs kernels for processors,
                         "processor_groups": how many groups these have at most; 0: it runs none */
    KERNEL_BENCH,     /* value: iterations, second: milliseconds */
    KERNEL_FORMAT,    /* variable (buffer of char, made here), result (its last extent); what is
                         formatted as PRINT; second: the digits, or how many fields there are in the
                         buffer `fields` */
    KERNEL_PARAMETER, /* the entry's parameter `number`: result, or variable (buffer, made here)
                         with value elements */
    KERNEL_RESULT /* the entry's next result, as PRINT; value is the array's number of elements */
} KernelEffectKind;

typedef struct KernelEffect {
    KernelEffectKind kind;
    const char *name;
    KernelVariable *result, *variable, *source;
    const KernelExp *start;         /* PRINT, FORMAT, RESULT; may be NULL */
    KernelVariable *fields;         /* FORMAT; may be NULL */
    KernelVariable *const *extents; /* READ: declared scalars */
    CoreFileFormat format;          /* READ */
    const KernelExp *value, *second;
    int rank;
    const KernelExp *const *shape; /* i64 extents, row-major */
    size_t number;                 /* PARAMETER */
    bool is_complex; /* PRINT, FORMAT: the first axis is 2, real and imaginary parts */
} KernelEffect;

/* What a loop adds up, of tiles of two matrices in local memory: for each row r and column c of the work-item
   totals[r * columns + c] += sum over d of x[row, d] * y[column, d], where place p of a tile at number d is at
   p * place_step + d * deep_step. Devices with matrix units have KERNEL_UNIT_LANES neighbours of a group do it together;
   with base[0], base[1] the same to all of these, row r of neighbour l is base[0] + l / 4 + 8 * r, and column c is
   base[1] + l % 4 * 2 + c % 2 + c / 2 * 8. */
typedef struct KernelProduct {
    KernelVariable *totals;   /* PRIVATE, f64 */
    KernelVariable *tiles[2]; /* LOCAL, f64 */
    int64_t place_step[2], deep_step[2];
    int64_t each[2]; /* rows, in pairs, and columns, in pairs, of the work-item */
    int64_t depth;   /* a multiple of 4 */
} KernelProduct;
enum { KERNEL_UNIT_LANES = 32 };

typedef struct KernelBlock {
    size_t count;
    const struct KernelCmd *const *commands;
} KernelBlock;

/* An array of core that is stored once more, and why; `array`: NULL, it is none that has a name. */
typedef struct KernelCopied {
    const CoreName *array;
    CoreReason why; /* NONE: not a copy */
} KernelCopied;

typedef struct KernelCmd {
    KernelCmdKind kind;
    Span span;         /* of the APL that it computes */
    KernelLevel level; /* FOR */
    unsigned unrolled; /* FOR: so many iterations at a time are best written out; 0: no matter;
                          1: it should stay a loop, since more would only take registers */
    unsigned wide;     /* DECLARE of a LOAD: one of so many, side by side here and in memory, that a
                      device reads at once, 16 bytes at most; 0: it is alone */
    unsigned part; /* the first of them, from an index that is a multiple of their number, is 0 */
    unsigned
        strip; /* IF: the body has so many rows at once, `otherwise` the rest; 0: it is no such */
    /* FOR of GRID or GROUP: how many rows there are, where iterations are strips or tiles of them */
    const KernelExp *rows;
    unsigned tile[2]; /* FOR of GROUP: each has a tile of so many rows; 0: it has none */
    /* FOR of SEQ, and IF, in tiles: how often the body is done for each row, on average (0: it is part of what
       another one says); or NULL */
    const KernelExp *per_row;
    /* FOR of SEQ, in a kernel of its own for devices with matrix units: what it does, with the places of the
       work-item's first row and column as `values`; or NULL */
    const KernelProduct *product;
    size_t
        assumed_count; /* FOR of GRID or GROUP: what core has checked of sizes, bools; STORE: what
                             the program promises of the index, there */
    const KernelExp *const *assumed;
    /* FOR of GRID or GROUP: a GROUP of one work-item that does the same, for devices that are
       processors; `groups` is how many there are of it, count at most. NULL: none */
    const struct KernelCmd *on_processor;
    KernelVariable *groups; /* of such a GROUP, or of one that stands alone: declared by it */
    KernelCopied copied;    /* FOR of GRID, COPY: it copies an array, for that reason */
    /* WHILE of the host's, with `number` places where the device decides, one after the other in each
       iteration: declares an i64 on the device, how many times it decided to go on; -1 - i when it
       was its decision i to end the loop. FOR of GRID or GROUP: the loop's around, or that of a branch between
       which the device chooses, and the kernel does nothing while it is negative. NULL: there is none */
    KernelVariable *ahead;
    /* IF of the host's: the device may choose. All that one branch does is nobody's concern where the
       other is taken, except that its kernels write to memory which both use. */
    bool by_device;
    /* IF of the host's: in the first branch the device may choose between the same branches as the host in the other. */
    bool by_size;
    /* FOR of GRID, of one work-item: stores words that kernels of branches have; never has one itself. */
    bool chooses;
    unsigned statuses; /* TICKET: each group has so many, from its ticket times that number on */
    bool hides_count; /* FOR of SEQ: C compilers are not to know how often, if that is a constant */
    bool scattered;   /* STORE: several work-items may store here, and any of them stays */
    KernelVariable *variable, *source;
    const KernelExp *value, *index, *source_index, *count;
    size_t value_count; /* CHECK, CONSTANTS, PUBLISH, CALL, RESERVE, FOR with `product` */
    const KernelExp *const *values;
    size_t source_count; /* CALL, AHEAD */
    KernelVariable *const *sources;
    size_t payload_count; /* AWAIT, CALL, AHEAD */
    KernelVariable *const *payload;
    size_t number;               /* CALL, AHEAD, WHILE with `ahead` */
    size_t failure;              /* CHECK: index into the program's failures */
    CoreOperator op;             /* ATOMIC */
    KernelBlock body, otherwise; /* FOR, WHILE, IF, RETRY */
    KernelEffect effect;
    const char *text; /* COMMENT; FOR of GRID or GROUP: the kernel's name, unique */
} KernelCmd;

/* What a failing check reports. */
typedef struct KernelFailure {
    CoreErrorKind error;
    const char *message; /* with {} for values */
    size_t value_count;
    const CorePrim *value_prims;
    unsigned stage; /* those of lesser stages come first, in whichever rows */
    Span span;
} KernelFailure;

/* What runs from beginning to end. An entry's parameters are read by PARAMETER effects. A function,
   which CALL runs, has variables for its parameters, which it does not assign or write to, and
   its results, which its body assigns, or makes anew: nothing else is the memory of these. No
   function calls itself, nor one that stands before it. */
typedef struct KernelEntry {
    const CoreEntry *interface; /* NULL: a function */
    const char *name;
    size_t parameter_count, result_count; /* of a function */
    KernelVariable *const *parameters, *const *results;
    KernelBlock body;
} KernelEntry;

typedef struct KernelProgram {
    size_t entry_count, body_count; /* entries come first, then functions, up to body_count */
    const KernelEntry *entries;
    size_t failure_count;
    const KernelFailure *failures;
    size_t variable_count; /* numbers of variables are below it */
} KernelProgram;

/* Work-items of a group in GROUP loops, and the most groups that a chunked reduction starts. */
enum { KERNEL_GROUP_SIZE = 256, KERNEL_MOST_GROUPS = 256 };

/* Indices of ARRIVE; the runtime has as many counters. */
enum { KERNEL_MOST_ARRIVALS = 4096 };

/* ---- building (backend/kernel.c, kernel_commands.c) ---------------------------------------------- */

/* Scalar expressions are simplified as they are built (constants folded, x+0, x*1, x*0, ...) so
   that index arithmetic stays short. */

typedef struct KernelBuilder {
    Compilation *c;
    VEC(const KernelCmd *) commands;
    Span span;
} KernelBuilder;

KernelBuilder kernel_builder(Compilation *c, Span span);
KernelBlock kernel_block(KernelBuilder *b);
void kernel_add(KernelBuilder *b, const KernelCmd *command);
void kernel_add_block(KernelBuilder *b, KernelBlock block);

KernelVariable *kernel_variable(Compilation *c, const char *text, CorePrim prim, KernelSpace space,
                                Span span);
const KernelExp *kernel_constant(Compilation *c, CoreAtom constant);
const KernelExp *kernel_i64(Compilation *c, int64_t value);
const KernelExp *kernel_use(Compilation *c, KernelVariable *scalar);
const KernelExp *kernel_unary(Compilation *c, CoreOperator op, const KernelExp *x);
const KernelExp *kernel_binary(Compilation *c, CoreOperator op, const KernelExp *x,
                               const KernelExp *y);
/* x / y and x % y for i64 that are known as x >= 0 and y > 0: the division of index arithmetic. */
const KernelExp *kernel_divide(Compilation *c, const KernelExp *x, const KernelExp *y);
const KernelExp *kernel_modulo(Compilation *c, const KernelExp *x, const KernelExp *y);
/* x + y that does not wrap, as where one is the first of several iterations and the other below
   their number. */
const KernelExp *kernel_exact_sum(Compilation *c, const KernelExp *x, const KernelExp *y);
/* x + product, of reals, which need not be rounded in between. */
const KernelExp *kernel_fused_sum(Compilation *c, const KernelExp *x, const KernelExp *product);
/* x op y, DIV or MOD, with operands as by_reals says; natural: x >= 0. */
const KernelExp *kernel_by_reals(Compilation *c, CoreOperator op, const KernelExp *x,
                                 const KernelExp *y, bool natural);
/* A BINARY's operator, and what is known of it, with other operands. */
const KernelExp *kernel_binary_like(Compilation *c, const KernelExp *binary, const KernelExp *x,
                                    const KernelExp *y);
const KernelExp *kernel_convert(Compilation *c, CorePrim to, const KernelExp *x);
const KernelExp *kernel_select(Compilation *c, const KernelExp *condition, const KernelExp *x,
                               const KernelExp *y);
const KernelExp *kernel_load(Compilation *c, KernelVariable *buffer, const KernelExp *index);
bool kernel_is_i64(const KernelExp *exp, int64_t value); /* that constant? */

void kernel_declare(KernelBuilder *b, KernelVariable *scalar, const KernelExp *value);
/* The value under a name of its own; a constant as it is. */
const KernelExp *kernel_declared(KernelBuilder *b, const char *text, const KernelExp *value);
void kernel_declare_buffer(KernelBuilder *b, KernelVariable *local_or_private, int64_t count);
/* scalars[k] = buffer[index + k] for k < count, 2, 4, 8 or 16 scalars of 16 bytes at most in all; the
   index is a multiple of count. */
void kernel_declare_wide(KernelBuilder *b, size_t count, KernelVariable *const *scalars,
                         KernelVariable *buffer, const KernelExp *index);
void kernel_allocate(KernelBuilder *b, KernelVariable *buffer, const KernelExp *count);
void kernel_reserve(KernelBuilder *b, size_t value_count, const KernelExp *const *values);
void kernel_alias(KernelBuilder *b, KernelVariable *buffer, KernelVariable *source);
void kernel_release(KernelBuilder *b, KernelVariable *buffer);
void kernel_assign(KernelBuilder *b, KernelVariable *scalar, const KernelExp *value);
void kernel_store(KernelBuilder *b, KernelVariable *buffer, const KernelExp *index,
                  const KernelExp *value);
/* The last command, a kernel, runs only with sizes for which these hold. */
void kernel_assume(KernelBuilder *b, size_t count, const KernelExp *const *conditions);
/* The same of the stores into the buffer among the builder's commands from that one on, and inside
   them. */
void kernel_assume_stores(KernelBuilder *b, size_t first, const KernelVariable *buffer,
                          size_t count, const KernelExp *const *conditions);
/* And of loads that are declared. */
void kernel_assume_accesses(KernelBuilder *b, size_t first, const KernelVariable *buffer,
                            size_t count, const KernelExp *const *conditions);
/* The last command copies that array. */
void kernel_with_copied(KernelBuilder *b, KernelCopied copied);
/* The last command, a kernel or WHILE, has it as its `ahead`; the WHILE has so many places. */
void kernel_with_ahead(KernelBuilder *b, KernelVariable *ahead);
void kernel_places(KernelBuilder *b, size_t places);
/* The last command, an IF, is for this many rows at once; the last one, a GRID, has these rows. */
void kernel_strip(KernelBuilder *b, unsigned rows);
void kernel_rows(KernelBuilder *b, const KernelExp *rows);
/* The last command, a GROUP, has these rows in tiles; the last one, in them, is done per_row. */
void kernel_tiles(KernelBuilder *b, const KernelExp *rows, unsigned down, unsigned along);
void kernel_per_row(KernelBuilder *b, const KernelExp *times);
/* The last command, a FOR of SEQ, is this product, for a work-item with this first row and column. */
void kernel_is_product(KernelBuilder *b, const KernelProduct *product,
                       const KernelExp *const first[2]);
/* The loop in the block, however deep, that is a product; NULL: there is none. */
const KernelCmd *kernel_find_product(KernelBlock block);
/* Stores into the buffer within the block are a scatter's: data say where to. */
void kernel_mark_scattered(KernelBlock block, const KernelVariable *buffer);
void kernel_for(KernelBuilder *b, KernelLevel level, const char *kernel_name, KernelVariable *index,
                const KernelExp *count, KernelBlock body);
/* The same, SEQ, of which a device should have so many iterations at a time written out. */
enum { KERNEL_WRITE_OUT = 64 /* all */, KERNEL_ONE_BY_ONE = 1 };
void kernel_for_unrolled(KernelBuilder *b, KernelVariable *index, const KernelExp *count,
                         unsigned at_a_time, KernelBlock body);
/* The last command, a FOR of SEQ: C compilers are not to know its count. */
void kernel_hide_count(KernelBuilder *b);
void kernel_while(KernelBuilder *b, KernelVariable *condition, KernelBlock body);
void kernel_if(KernelBuilder *b, const KernelExp *condition, KernelBlock then_block,
               KernelBlock else_block);
/* The last command, an IF: the device may choose, or it does in the first branch; a GRID: it chooses. */
void kernel_by_device(KernelBuilder *b);
/* The last command, a GROUP loop of one work-item each: it is for processors alone, which have as many groups as it says. */
void kernel_by_processor(KernelBuilder *b);
void kernel_by_size(KernelBuilder *b);
void kernel_that_chooses(KernelBuilder *b);
void kernel_barrier(KernelBuilder *b);
void kernel_arrive(KernelBuilder *b, KernelVariable *last);
/* The `count` groups that come with this index wait for nobody but know who is last of them. */
void kernel_arrive_at(KernelBuilder *b, KernelVariable *last, const KernelExp *index,
                      const KernelExp *count);
/* Each group publishes statuses from its ticket times `statuses` on, so many at most. */
void kernel_ticket(KernelBuilder *b, KernelVariable *ticket, unsigned statuses);
void kernel_publish(KernelBuilder *b, const KernelExp *index, const KernelExp *whole, size_t count,
                    const KernelExp *const *values);
void kernel_await(KernelBuilder *b, KernelVariable *whole, size_t count,
                  KernelVariable *const *payload, const KernelExp *index);
void kernel_meet(KernelBuilder *b);
void kernel_swap(KernelBuilder *b, KernelVariable *x, KernelVariable *y);
void kernel_comment(KernelBuilder *b, const char *text);
/* `flag`: a declared bool that gets the condition; NULL where nobody asks (on the host). `number`: in which order those
   that fail count; NULL: in that of work-items. */
void kernel_check(KernelBuilder *b, KernelVariable *flag, const KernelExp *condition,
                  const KernelExp *number, size_t failure, size_t value_count,
                  const KernelExp *const *values);
void kernel_copy(KernelBuilder *b, KernelVariable *buffer, const KernelExp *index,
                 KernelVariable *source, const KernelExp *source_index, const KernelExp *count);
void kernel_constants(KernelBuilder *b, KernelVariable *buffer, size_t count,
                      const KernelExp *const *values);
void kernel_atomic(KernelBuilder *b, CoreOperator op, KernelVariable *buffer,
                   const KernelExp *index, const KernelExp *value);
void kernel_exchange(KernelBuilder *b, KernelVariable *old, KernelVariable *buffer,
                     const KernelExp *index, const KernelExp *value);
void kernel_retry(KernelBuilder *b, KernelVariable *old, KernelVariable *buffer,
                  const KernelExp *index, KernelBlock body, const KernelExp *value);
void kernel_effect(KernelBuilder *b, KernelEffect effect);
void kernel_call(KernelBuilder *b, size_t number, size_t value_count,
                 const KernelExp *const *values, size_t source_count,
                 KernelVariable *const *sources, size_t result_count,
                 KernelVariable *const *results);
void kernel_ahead(KernelBuilder *b, KernelVariable *last, size_t place, size_t source_count,
                  KernelVariable *const *sources, size_t payload_count,
                  KernelVariable *const *payload);
void kernel_none_was_last(KernelBuilder *b, KernelVariable *last, const KernelExp *value);

/* What an expression is made of, in order of evaluation; returns how many there are. */
enum { KERNEL_MOST_OPERANDS = 3 };
size_t kernel_operands(const KernelExp *exp, const KernelExp *operands[KERNEL_MOST_OPERANDS]);
/* The scalar, or an element of the buffer, is in the expression (NULL: it is in none). */
bool kernel_mentions(const KernelExp *exp, const KernelVariable *variable);
/* A scalar of the set (KernelVariable -> anything) is in it (NULL: it is in none). */
bool kernel_mentions_any(const PointerMap *set, const KernelExp *exp);
/* Loads of device memory in the expression (NULL: there is none). */
unsigned kernel_loads(const KernelExp *exp);
/* Both are the same text, of the same variables. */
bool kernel_is_same(const KernelExp *x, const KernelExp *y);
/* Comparisons of the same two, of which one holds where the other does not. */
bool kernel_are_opposite(const KernelExp *x, const KernelExp *y);

/* Whether processors compute the expression with vectors (backend/vectors.c); the same of a UNARY
   or BINARY without its operands. */
bool kernel_is_vector(const KernelExp *exp);
bool kernel_is_vector_operator(const KernelExp *exp);
/* A power of doubles. */
bool kernel_is_power(const KernelExp *exp);
bool kernel_is_power_of_2(const KernelExp *exp);
/* A remainder of reals by a power of two from 2^-30 to 2^30; one of doubles by anything else. */
bool kernel_is_residue_of_power_of_2(const KernelExp *exp);
bool kernel_is_residue(const KernelExp *exp);
/* A short loop of constant length, which a loop of vectors has inside it, written out. */
bool kernel_is_written_out(const KernelCmd *loop);

/* Names free in a block: scalars and buffers used but not declared inside, each once, in order of
   first use. `written`: whether the block stores into it. */
typedef struct KernelFree {
    KernelVariable *variable;
    bool written;
} KernelFree;
typedef VEC(KernelFree) KernelFreeVec;
KernelFreeVec kernel_free(Compilation *c, KernelBlock block);
/* An internal error where a variable is used outside the block that declares it. */
void kernel_check_scopes(Compilation *c, const KernelProgram *program);
/* Whether there is such a command in the block, or in blocks of its commands; whether there is a SWAP
   of the buffer. */
bool kernel_has(KernelBlock block, KernelCmdKind kind);
bool kernel_swaps(KernelBlock block, const KernelVariable *buffer);
/* An expression of the block, or of blocks of its commands, has the scalar or an element of the buffer. */
bool kernel_reads(KernelBlock block, const KernelVariable *variable);
size_t kernel_count(const KernelProgram *program); /* number of commands, for statistics */

/* ---- lowering (backend/lower/) -------------------------------------------------------------- */

typedef enum KernelTarget {
    KERNEL_SEQUENTIAL, /* every loop SEQ: for C */
    KERNEL_PARALLEL,   /* outer parallel dimensions as kernels: for OpenCL */
    KERNEL_DEVICES     /* the same, and kernels for processors beside them */
} KernelTarget;

/* Reports levels and spaces that cannot be kept ("STRATEGY ERROR"); says whether there are none.
   The program must have passed core_check and its calls have been inlined; it should not have been
   simplified. */
bool kernel_check_strategy(Compilation *c, const CoreProgram *program);
/* [DPIA 4] acceptor-passing and continuation-passing translation of every entry and function. The
   program must have passed core_check. NULL after diagnostics. */
KernelProgram *kernel_lower(Compilation *c, const CoreProgram *program, KernelTarget target);
/* backend/places.c, the end of lowering. A place in a matrix that kernels take apart and put together again. */
KernelProgram *kernel_join_places(Compilation *c, const KernelProgram *program);
/* backend/unused.c. What nobody uses is not computed. */
KernelProgram *kernel_drop_unused(Compilation *c, const KernelProgram *program);

/* ---- sequential programs (backend/split/) --------------------------------------------------- */

/* backend/sequential/extended.c. Loops over arrays that may have been extended have a version for where none was. */
KernelProgram *kernel_assume_plain(Compilation *c, const KernelProgram *program);
/* backend/sequential/rows.c. Loops that take positions in a matrix apart go by its rows. */
KernelProgram *kernel_go_by_rows(Compilation *c, const KernelProgram *program);
/* backend/sequential/blocks.c. Loops over a matrix that read another one turned go by blocks of rows and columns. */
KernelProgram *kernel_go_by_blocks(Compilation *c, const KernelProgram *program);
/* Loops that compare their variable with invariants become up to three, whose interior does not.
   Only for programs lowered for KERNEL_SEQUENTIAL. */
KernelProgram *kernel_split_borders(Compilation *c, const KernelProgram *program);
/* backend/sequential/products.c. Sums whose rows lie across are taken for strips of columns and blocks of
   rows. is_shared: in kernels for processors, whose work-items share them; else only for programs lowered for
   KERNEL_SEQUENTIAL. */
KernelProgram *kernel_block_products(Compilation *c, const KernelProgram *program, bool is_shared);
/* backend/sequential/neighbours.c. What an iteration computes and its neighbour, too, is computed
   once. */
KernelProgram *kernel_share_neighbours(Compilation *c, const KernelProgram *program);
/* backend/sequential/quotients.c. Quotients of integers that are small enough are found by doubles. */
KernelProgram *kernel_shorten_quotients(Compilation *c, const KernelProgram *program);
/* backend/strips/. Loops of scalars that have loops inside run several iterations at a time, a lane
   each. Only for programs lowered for KERNEL_SEQUENTIAL. */
KernelProgram *kernel_cut_strips(Compilation *c, const KernelProgram *program);
/* backend/sequential/extremes.c. Folds that find a least or greatest key and its place go by blocks, whose keys vectors
   compare. Only for programs lowered for KERNEL_SEQUENTIAL. */
KernelProgram *kernel_block_extremes(Compilation *c, const KernelProgram *program);
/* The same of exponentials and the like in loops that are no vectors. */
KernelProgram *kernel_strip_dear(Compilation *c, const KernelProgram *program);

/* backend/sequential/shares.c. Of kernels for processors each group takes a contiguous share of every
   outermost loop. Only for programs lowered for KERNEL_DEVICES, after the passes above, which see in
   them what they see in sequential programs. */
KernelProgram *kernel_share_loops(Compilation *c, const KernelProgram *program);
/* backend/sequential/early.c. Loops that find a first place, or whether any or all rows are so, end where they have found
   it; in sequential programs, or in kernels for processors, whose loops are shared out already. */
KernelProgram *kernel_leave_early(Compilation *c, const KernelProgram *program);

/* ---- programs for devices -------------------------------------------------------------------- */

/* backend/device_scalars.c. Elements of arrays that only kernels use are read by these, not by the host. */
KernelProgram *kernel_keep_scalars(Compilation *c, const KernelProgram *program);
/* backend/ahead/. The same, and the host runs ahead of conditions that the device computes. */
KernelProgram *kernel_run_ahead(Compilation *c, const KernelProgram *program);
/* backend/single/. Kernels of one work-item that others can spare. */
KernelProgram *kernel_spare_items(Compilation *c, const KernelProgram *program);
/* backend/resident.c. Loops of the host whose steps are one kernel each, as one kernel, where the device can. */
KernelProgram *kernel_keep_resident(Compilation *c, const KernelProgram *program);
/* backend/reserve/. Memory that loops of the host allocate again and again is made before them. */
KernelProgram *kernel_reserve_memory(Compilation *c, const KernelProgram *program);

/* ---- races (backend/race/) ------------------------------------------------------------------ */

/* Whether it is proven of a kernel that it has no race, whatever the sizes and the data. Where it
   is not, the kernel is only looked at by cases. */
typedef struct KernelProof {
    const KernelCmd *kernel;
    const char *open; /* NULL: it is proven; else which accesses are not known to be apart */
} KernelProof;
typedef VEC(KernelProof) KernelProofVec;
/* Each kernel of the program once, also those for processors. */
KernelProofVec kernel_prove_order(Compilation *c, const KernelProgram *program);
/* Two accesses of work-items to one element that nothing puts in order, one of them a write: names
   the kernel and both commands. NULL: none was found. `proofs` gets what is proven on the way; it may be NULL. */
const char *kernel_find_race(Compilation *c, const KernelProgram *program, KernelProofVec *proofs);

/* ---- what kernels do to memory (backend/traffic.c) ------------------------------------------ */

/* How often memory is touched: for each row of the kernel, or each work-item or work-group. */
typedef enum KernelPer { KERNEL_PER_ROW, KERNEL_PER_ITEM, KERNEL_PER_GROUP } KernelPer;

/* The accesses of one kernel to one buffer of device memory, as often as `times` says. */
typedef struct KernelTraffic {
    const KernelVariable *buffer;
    KernelPer per;
    const char *times; /* of loops inside a row: "", "k", "k × m"; "?" where only the row knows */
    unsigned reads[2], writes[2]; /* at least, at most: branches */
    bool atomic;                  /* written by atomic operations */
} KernelTraffic;

/* A loop or branch of the host. */
typedef struct KernelAround {
    const KernelCmd *command;
    bool otherwise; /* IF: where the condition is false */
} KernelAround;
typedef VEC(KernelAround) KernelAroundVec;
typedef struct KernelWork {
    const KernelCmd *kernel; /* or COPY, without traffic */
    KernelAroundVec around;  /* outermost first */
    const char *rows;        /* "n × m"; NULL: not known */
    unsigned strip;          /* rows that a work-item has at once; 0: one */
    unsigned tile[2];        /* rows that a work-group has at once: so many by so many; 0: others */
    VEC(KernelTraffic) traffic;
    VEC(Span) spans; /* of what it computes, each line once, in the order of the source */
} KernelWork;
typedef VEC(KernelWork) KernelWorkVec;

/* The kernels of an entry, and copies of memory, in order. */
KernelWorkVec kernel_work(Compilation *c, const KernelProgram *program, const KernelEntry *entry);
/* An integer or a condition of the host in terms of the program's own names: "n × m", "max(n - 1,
 * 0)". */
const char *kernel_size_text(Compilation *c, const KernelProgram *program, const KernelEntry *entry,
                             const KernelExp *size);
/* How many values the host reads from the device in one run of the command, at most: it waits for each.
   `in_branches`: those in branches, which need not be taken, count, too. */
unsigned kernel_host_reads(const KernelCmd *command, bool in_branches);

/* ---- printing (backend/emit/) --------------------------------------------------------------- */

/* A library to be: entries called from C. */
typedef struct KernelLibrary {
    const char *name;   /* as in libNAME.so */
    const char *prefix; /* the same as an identifier: functions are PREFIX_ENTRY */
    bool is_opencl;
    size_t source_count;
    const char *const *sources; /* files that it is made from, for comments */
} KernelLibrary;

/* The kernel program for people. */
void kernel_print(Compilation *c, Text *out, const KernelProgram *program);
/* The first line of one command of it. */
const char *kernel_command_text(Compilation *c, const KernelProgram *program,
                                const KernelCmd *command);
/* A complete C file: main(), to be linked with the runtime. */
void emit_c(Compilation *c, Text *out, const KernelProgram *program, const char *program_name);
/* A complete C file whose kernels are OpenCL C text inside it, built at run time. */
void emit_opencl(Compilation *c, Text *out, const KernelProgram *program, const char *program_name);
/* The same without main() and with the functions that the library's header declares; the header. */
void emit_c_library(Compilation *c, Text *out, const KernelProgram *program,
                    const KernelLibrary *library);
void emit_opencl_library(Compilation *c, Text *out, const KernelProgram *program,
                         const KernelLibrary *library);
void emit_library_header(Compilation *c, Text *out, const KernelProgram *program,
                         const KernelLibrary *library);
/* class, for example: no package can have that name. */
bool emit_is_python_keyword(const char *name);
/* The __init__.py of a Python package around libNAME.so. */
void emit_library_python(Compilation *c, Text *out, const KernelProgram *program,
                         const KernelLibrary *library);

#endif
