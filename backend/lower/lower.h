/* Lowering, inside: what the files of this folder share.

   The translation is [DPIA 4]: C(exp)(reader) for what is only read, A(exp)(acceptor) for what is
   wanted in a place. In A-normal form both walk a list of statements:

       environment.c  names -> values; scopes that release buffers after their last use
       views.c        readers: chains of views over stored arrays
       read.c         reading one is index arithmetic
       wholes.c       results that have several parts, or that views show of scans
       parts.c        these, made in their places
       accept.c       acceptors: places in buffers; allocation; acceptor := reader
       lower.c        programs, bodies, statements, assertions
       control.c      if, guards and calls
       loops.c        loops
       functions.c    functions that are called
       soacs.c        SOACs as sequential loops; the choice between those and kernels
       grid.c         kernels: their frames, scratch memory, map nests flattened to one grid
       reduce.c       chunked reductions with a tree in local memory [REDO 4]
       tiles.c        the rows of those that are quick
       ordered.c      the rows of reductions whose operators do not commute
       scan.c         scans in three phases, or in a single pass; scan_shares.c: those of processors
       lookback.c     the single pass
       epilogue.c     what takes the rows of a scan, in its kernel
       filter.c       filters: the places of rows by a scan
       irregular.c    scatter
       hist.c         histograms: atomically, by sub-histograms, by lists
       digit_sort.c   a pass of a radix sort; with digit_tiles.c, in local memory
       streams.c      streams as loops over chunks
       streams_parallel.c  streams with a chunk a work-item
       segmented.c  reductions and scans at the inner ends of map nests: the choice of versions
       segment_group.c    ... a work-group, or a part of one, a segment, or several work-groups
       segment_columns.c  ... a work-item a part of a segment
       segment_tiles.c    ... a work-group a tile of segments that share what they read, with
       tile_rows.c, tile_stage.c, tile_work.c
       segment_versions.c scans there: the choice of versions
       segment_scan.c     ... work-items of a group a segment
       segment_short.c    ... a work-item a segment, in local memory
       segment_lookback.c ... several groups a segment, in a single pass
       segment_taker.c    maps of what is scanned there
       segment_fold.c     ... and reductions of these
       wide.c         rows that a work-item reads several at a time
       turned.c       maps that read matrices turned, in tiles
       strides.c      how accesses to memory follow an index
       strips.c       several neighbouring elements a work-item
       processor.c    the same as kernels for processors: few work-items with plain loops
       strategy.c     levels and spaces that the program asks for
       group.c        @group and @thread
       device.c       loops of element work as one work-item
       effects.c      print, read and the other effects */
#ifndef BACKEND_LOWER_LOWER_H
#define BACKEND_LOWER_LOWER_H

#include "backend/kernel.h"

typedef const KernelExp *const *KernelExps;

/* ---- readers and acceptors ------------------------------------------------------------------- */

typedef enum ReaderKind {
    READER_STORED,    /* buffer[offset + sum of index * stride]; also an acceptor */
    READER_IOTA,      /* the index */
    READER_REPLICATE, /* `fill`, or `child` without the first indices */
    READER_LITERAL,   /* one of `items` */
    READER_REARRANGE,
    READER_RESHAPE,
    READER_CYCLE,
    READER_ROTATE,
    READER_REVERSE,
    READER_SLICE,
    READER_CONCAT,
    READER_PAD
} ReaderKind;

/* An array that can be read at any index. Where a guard is given and false, every element is 0 and
   nothing is touched. */
typedef struct Reader {
    ReaderKind kind;
    CorePrim prim;
    int rank;
    KernelExps shape;
    unsigned cost; /* about the number of operations of one read */
    const KernelExp *guard;

    /* STORED. `unit`: where not NULL the strides are those of row-major order times unit. */
    KernelVariable *buffer;
    const KernelExp *offset;
    KernelExps strides; /* STORED, SLICE */
    const KernelExp *unit;
    bool
        may_repeat; /* STORED: several indices, of it or of what it is a row of, may mean one element
                        (strides 0) */

    const struct Reader *child;
    const struct Reader *const *children; /* CONCAT */
    size_t child_count;
    int axis;                /* ROTATE, REVERSE, CONCAT, PAD */
    const KernelExp *amount; /* ROTATE: places; CYCLE: modulus; PAD: before */
    const KernelExp *fill;   /* REPLICATE, CYCLE, PAD */
    const int *permutation;  /* REARRANGE */
    const bool *fixed;       /* SLICE, per axis of the child */
    KernelExps offsets;      /* SLICE; CONCAT: where each child begins */
    KernelExps divisors;     /* RESHAPE: extents of the child, at least 1 */
    KernelExps items;        /* LITERAL; STORED: its scalars where they are known */
    size_t item_count;
} Reader;

/* Reading one element of something dearer than this stores it first. */
enum { READER_COST_LIMIT = 200 };

/* What a core name stands for: a scalar (always a constant or a variable, never a larger tree), an
   array, or a certificate (guard: NULL where it is known to hold). */
typedef struct Value {
    const KernelExp *scalar;
    const Reader *array;
    const KernelExp *guard;
    struct Scope *scope; /* where it is bound */
} Value;

/* ---- scopes, frames ------------------------------------------------------------------ */

/* A buffer that a scope owns, and how many names still need it. */
typedef struct OwnedBuffer {
    KernelVariable *buffer;
    struct Scope *scope;
    size_t holders;
    bool released;
} OwnedBuffer;

typedef struct Scope {
    struct Scope *outer;
    VEC(OwnedBuffer *) buffers;
    size_t tidy; /* buffers before this one have been looked at for temporaries */
} Scope;

typedef enum FrameKind {
    FRAME_MAP,   /* a host loop whose iterations leave nothing to the next one */
    FRAME_LOOP,  /* a host loop with state: allocations stay inside */
    FRAME_KERNEL /* a work-item */
} FrameKind;

typedef struct ScratchBuffer {
    KernelVariable *buffer;
    const KernelExp *count; /* of one work-item, in the host's terms */
} ScratchBuffer;

typedef struct Frame {
    FrameKind kind;
    struct Frame *outer;
    KernelBuilder *before;         /* commands that come before the loop or kernel */
    unsigned last_outside;         /* variables with larger numbers belong inside */
    VEC(KernelVariable *) hoisted; /* MAP: buffers to release after the loop */
    VEC(ScratchBuffer) scratch;    /* KERNEL */
    const KernelExp *item; /* KERNEL: this work-item's number, or its group's on a processor */
    KernelVariable *items; /* KERNEL: how many there are; a host scalar */
} Frame;

/* Branches whose kernels are both to be started. */
typedef struct Chosen {
    struct Chosen *outer;
    const CoreStm *stm;
    bool takes_memory; /* which may not be there: the host should know that the branch is taken */
} Chosen;

/* A while loop in a work-item: it ends with the first check inside that fails. */
typedef struct Going {
    struct Going *outer;
    KernelVariable *variable; /* no check has failed */
    bool used;                /* there is one */
} Going;

typedef struct Wholes Wholes; /* wholes.c */

/* Names that a statement of the host is the last to use. */
typedef struct Dying {
    const CoreStm *stm;
    const CoreName *const *names;
    size_t count;
} Dying;

typedef struct Lower {
    Compilation *c;
    KernelTarget target;    /* SEQUENTIAL or PARALLEL */
    bool for_processors;    /* kernels for them, too */
    bool on_processor;      /* the kernel being built is such */
    bool without_look_back; /* what is lowered is for devices that do not look back */
    bool by_items; /* ... for devices whose work-items do not work in lanes, and short rows */
    const CoreFunction *entry; /* being lowered: its parameters are released as its own names */
    KernelBuilder *b;
    PointerMap values;      /* CoreName -> Value */
    PointerMap wanted;      /* CoreName -> Reader: the acceptor of a result, until it is defined */
    PointerMap definitions; /* KernelVariable -> KernelExp, of scalars that never change */
    PointerMap bounds;      /* KernelVariable -> KernelExp that it is never above */
    PointerMap owned;       /* KernelVariable -> OwnedBuffer */
    PointerMap held;        /* CoreName -> HeldBuffers */
    PointerMap refused;     /* CoreExp whose level or space was refused */
    PointerMap spaces;      /* CoreName -> CoreStm that asks for its array's space */
    PointerMap loops;       /* CoreExp of SOACs that are to be loops */
    PointerMap checks;      /* CoreExp -> failure number + 1 */
    PointerMap views;       /* CoreName -> CoreStm: views of the host */
    PointerMap functions;   /* name, interned -> size_t, its number among the entries */
    CoreAliases *aliases;   /* of the entry; NULL: nobody has asked */
    Dying dying;            /* of the host's statement at hand */
    Wholes *wholes;         /* of the body at hand; may be NULL */
    Scope *scope;           /* NULL inside kernels */
    Frame *frame;
    Chosen *chosen; /* the innermost around; NULL: none is */
    bool in_kernel;
    const KernelExp
        *number; /* of the row at work: the first that fails tells; NULL: the work-item */
    const KernelExp *order;         /* stands before all numbers of rows; NULL: they count from 0 */
    struct Going *going;            /* the innermost while loop of a kernel */
    struct LowerStages *stages;     /* of the statement of the host that is being lowered */
    VEC(const KernelExp *) assumed; /* of sizes, by the kernel being built */
    KernelCopied copied;            /* what the next assignment is, should it copy */
    bool failed; /* the kernel being built cannot be one: throw it away and loop on the host */
    VEC(KernelFailure) failures;
    unsigned kernel_count;
} Lower;

/* ---- environment.c --------------------------------------------------------------------------- */

void lower_bind(Lower *L, CoreName *name, Value value);
void lower_bind_scalar(Lower *L, CoreName *name, const KernelExp *value);
void lower_bind_array(Lower *L, CoreName *name, const Reader *array);
Value lower_value(Lower *L, CoreAtom atom);
const KernelExp *lower_scalar(Lower *L, CoreAtom atom);
const Reader *lower_array(Lower *L, CoreAtom atom);
/* x op y; an i64. */
const KernelExp *lower_op(Lower *L, CoreOperator op, const KernelExp *x, const KernelExp *y);
const KernelExp *lower_number(Lower *L, int64_t value);
const KernelExp *lower_truth(Lower *L, bool value);
/* A bool to be declared. */
KernelVariable *lower_bool(Lower *L, const char *text);
/* What the device is good at: "work_items", "lanes", "looks_back". */
const KernelExp *lower_device(Lower *L, const char *what, CorePrim prim);
/* The ceiling of x / y, neither negative. */
const KernelExp *lower_ceiling(Lower *L, const KernelExp *x, const KernelExp *y);
/* A variable that holds exp; exp itself where it is a constant or a variable already. */
const KernelExp *lower_let(Lower *L, const char *text, const KernelExp *exp);
/* What lower_let gave is the number of a row, below the width. */
void lower_is_row(const KernelExp *row, const KernelExp *width);
/* What lower_let gave, which is never negative and at most `most`: 32 bits hold what is made of it. */
const KernelExp *lower_at_most(const KernelExp *value, unsigned most);
/* The same value in terms of variables with numbers up to `last`; NULL where there is no such. */
const KernelExp *lower_resolve(Lower *L, const KernelExp *exp, unsigned last);
/* As lower_resolve, but a value that is never below exp will do. */
const KernelExp *lower_bound(Lower *L, const KernelExp *exp, unsigned last);
KernelExps lower_shape(Lower *L, CoreType type);
const KernelExp *lower_product(Lower *L, int count, KernelExps extents);
const KernelExp *lower_zero(Lower *L, CorePrim prim);
/* The prim as kernels have it: certificates are bools. */
CorePrim lower_prim(CorePrim prim);

void lower_scope_begin(Lower *L, Scope *scope);
void lower_scope_end(Lower *L);
/* The current scope releases the buffer when no name holds it any more. */
void lower_own(Lower *L, KernelVariable *buffer);
void lower_forget(Lower *L, const CoreName *name);
/* Releases what the last statement made and bound no name to. */
void lower_tidy(Lower *L);
/* For each statement the names that it uses last; see lower_statements. */
typedef struct LastUses {
    size_t *first; /* stm_count + 1 of them: begin in `names` of what dies after statement i */
    const CoreName **names;
} LastUses;
LastUses lower_last_uses(Lower *L, const CoreBody *body);

/* ---- views.c, read.c ------------------------------------------------------------------------- */

const KernelExp *lower_read(Lower *L, const Reader *reader, KernelExps indices);
/* The element of the acceptor := value; nothing, where a view does not show it (lower_through). */
void lower_write(Lower *L, const Reader *place, KernelExps indices, const KernelExp *value);
const Reader *lower_row(Lower *L, const Reader *reader, size_t count, KernelExps indices);
/* Elements first .. of that axis: so many as the shape says. */
const Reader *lower_stretch(Lower *L, const Reader *reader, int axis, const KernelExp *first,
                            KernelExps shape);
/* Rows first .. first + count. */
const Reader *lower_chunk(Lower *L, const Reader *reader, const KernelExp *first,
                          const KernelExp *count);
/* One row: a scalar or a reader. */
Value lower_row_value(Lower *L, const Reader *array, const KernelExp *index);
const Reader *lower_slice(Lower *L, const Reader *reader, const CoreSlice *slices);
/* The reader of a view expression, of the pattern name's type. */
const Reader *lower_view(Lower *L, const CoreExp *exp, CoreType type);
/* The scalar, as an array of that shape. */
const Reader *lower_repeated(Lower *L, const KernelExp *value, const Reader *like);
/* The acceptor of what the expression is a view of, an array of type `operand`, where `acceptor` is the view's
   [DPIA 4.1]: what the view does not show has no place. */
const Reader *lower_through(Lower *L, const Reader *acceptor, const CoreExp *exp, CoreType operand);
const Reader *lower_guarded(Lower *L, const Reader *reader, const KernelExp *guard);
bool lower_reaches(const Reader *reader, const KernelVariable *buffer);
/* Strides of row-major order, times unit. */
KernelExps lower_row_major(Lower *L, int rank, KernelExps shape, const KernelExp *unit);
const Reader *lower_buffer_reader(Lower *L, KernelVariable *buffer, int rank, KernelExps shape);

/* ---- wholes.c, parts.c ------------------------------------------------------------------------ */

/* Results of the body that are concatenations of what it makes, or scans turned round; `wanted` as lower_body has it. NULL:
   there are none. Sizes of theirs that are computed later than they could be come first: the body to lower is *body. */
Wholes *lower_find_wholes(Lower *L, const CoreBody **body, const Reader *const *wanted);
/* Before the body's statement is lowered: wants parts that it makes in their places. */
void lower_begin_wholes(Lower *L, const CoreBody *body, size_t stm);
/* The statement is a view of parts that are in their places: binds its name. */
bool lower_part_of_whole(Lower *L, const CoreStm *stm);
/* Behind the last one. */
void lower_end_wholes(Lower *L);

/* ---- accept.c -------------------------------------------------------------------------------- */

/* Fresh memory for an array, where the context can have some. */
const Reader *lower_allocate(Lower *L, const char *text, CorePrim prim, int rank, KernelExps shape);
/* Fresh memory on the host for `rows` arrays (an array of rank 1 more), element j of array w at
   j * rows + w, so that neighbours in a grid touch neighbours in memory. */
const Reader *lower_allocate_transposed(Lower *L, const char *text, const KernelExp *rows,
                                        CorePrim prim, int rank, KernelExps shape);
/* In branches between which the device is to choose: memory of this type is taken. */
void lower_note_memory(Lower *L, CoreType type);
/* Where this result is wanted, else fresh memory. */
const Reader *lower_place(Lower *L, CoreName *name);
/* The same for what is read again as it changes: not through a view, which may not show all of it. */
const Reader *lower_memory(Lower *L, CoreName *name);
/* Of the next lower_assign, lower_writable, lower_stored or lower_whole_of: what it copies, if it does, and why. */
void lower_because(Lower *L, CoreAtom array, CoreReason why);
/* place := value (rank 0: the scalar). */
void lower_assign(Lower *L, const Reader *place, Value value, const char *text);
void lower_store_scalar(Lower *L, const Reader *place, const KernelExp *value);
/* The same memory and strides: an assignment would do nothing. */
bool lower_same_memory(const Reader *place, const Reader *value);
/* Where an update writes of which this is the result: the array's memory, or the result's, with a copy, where the array
   is not to be written. */
const Reader *lower_target(Lower *L, CoreName *result, CoreAtom array);
/* Stored, an element for each index: it may be written. */
bool lower_is_writable(const Reader *reader);
/* The same, or a copy where the array is not such. */
const Reader *lower_writable(Lower *L, const Reader *reader, const char *text);
/* A stored version: itself, or a copy in fresh memory. */
const Reader *lower_stored(Lower *L, const Reader *reader, const char *text);
/* Elements that lie one after the other in a buffer of the device's. */
bool lower_is_run(const Reader *reader);
/* Host: a buffer that holds exactly this array, row-major from 0. */
KernelVariable *lower_whole(Lower *L, CoreAtom array, CoreReason why);
KernelVariable *lower_whole_of(Lower *L, const Reader *reader, const char *text);
bool lower_inside_map(const Lower *L); /* within a host loop of kind MAP */
/* Small and of constant size: a plain array rather than a buffer. */
bool lower_is_small(const KernelExp *count);
void lower_update(Lower *L, const CoreStm *stm);
/* Statement i is a map or copy that is made where the updates behind it put it (core/locality/in_place.c): how many there are,
   one for each of its results; 0: it is none. */
size_t lower_updates_behind(const CoreBody *body, size_t i);
void lower_update_with(Lower *L, const CoreStm *map, const CoreStm *const *updates);
void lower_literal(Lower *L, const CoreStm *stm);

/* ---- functions.c ----------------------------------------------------------------------------- */

/* Where each function will be among the program's entries, which come first: so many. */
void lower_number_functions(Lower *L, const CoreProgram *program, size_t *entry_count);
KernelEntry lower_function(Lower *L, const CoreFunction *function);

/* ---- lower.c --------------------------------------------------------------------------------- */

/* Lowers the statements and gives the results' values; array results with an acceptor in `wanted`
   (NULL, or an entry NULL: none) end up there. */
void lower_body(Lower *L, const CoreBody *body, const Reader *const *wanted, Value *results);
/* The same of a row, whose checks fail in the order of these numbers, behind L->order. */
void lower_body_of_row(Lower *L, const KernelExp *number, const CoreBody *body,
                       const Reader *const *wanted, Value *results);
void lower_statements(Lower *L, const CoreBody *body);
void lower_statement(Lower *L, const CoreStm *stm);
/* checks.c: the conjunction of a statement's certificates; NULL where they hold. */
const KernelExp *lower_guard_of(Lower *L, const CoreStm *stm);

/* A loop under construction. */
typedef struct LowerLoop {
    KernelBuilder inner;
    KernelBuilder *outer;
    KernelVariable *variable;
    const KernelExp *count, *index;
    Frame frame;
    Scope scope;
    bool unrolled;        /* one iteration: no loop at all */
    unsigned written_out; /* set it before the end: so many iterations at a time a
                             device writes out, or KERNEL_WRITE_OUT for all */
} LowerLoop;

/* From begin to end commands go into the loop's body. `kind`: of the frame on the host. Without a
   count it is a while loop: set `variable` to its condition before the end. */
void lower_loop_begin(Lower *L, LowerLoop *loop, FrameKind kind, const char *text,
                      const KernelExp *count);
void lower_loop_end(Lower *L, LowerLoop *loop);
/* The same for a block without a loop. */
void lower_block_begin(Lower *L, LowerLoop *block);
KernelBlock lower_block_end(Lower *L, LowerLoop *block);

/* ---- control.c ------------------------------------------------------------------------------- */

void lower_call(Lower *L, const CoreStm *stm);
void lower_if(Lower *L, const CoreStm *stm);
/* if guard { stm }, for a statement without certificates; its results are zero otherwise. */
void lower_under_guard(Lower *L, const KernelExp *guard, const CoreStm *stm);
/* The number, or of a certificate whether it holds. */
const KernelExp *lower_scalar_of(Lower *L, Value value);
/* A scalar that may be assigned. */
KernelVariable *lower_mutable_scalar(Lower *L, const CoreName *name, const KernelExp *value);

/* ---- loops.c --------------------------------------------------------------------------------- */

void lower_loop(Lower *L, const CoreStm *stm);
/* The scalar that is number k of a loop's state, as it is in the beginning. */
KernelVariable *lower_state_scalar(Lower *L, const CoreExp *loop, size_t k);
/* Where `holds` is false, a check in this work-item has failed: while loops around end. */
void lower_while_fails(Lower *L, const KernelExp *holds);

/* ---- device.c -------------------------------------------------------------------------------- */

/* A loop whose body reads or writes elements and does nothing that would be a kernel of its own. */
bool lower_is_element_loop(const CoreStm *stm);
/* The same of an IF that gives few elements. */
bool lower_is_element_branch(const CoreStm *stm);
/* Host: the statement as a kernel of one work-item; false (and nothing bound) where it cannot be.
 */
bool lower_on_device(Lower *L, const CoreStm *stm, const char *kind);

/* ---- soacs.c --------------------------------------------------------------------------------- */

/* One accumulator of a reduction or scan. */
typedef struct Accumulator {
    CoreType type;
    KernelVariable *scalar;      /* rank 0 */
    const Reader *store, *fresh; /* arrays: the accumulator, and where its next value is made */
} Accumulator;

void lower_soac(Lower *L, const CoreStm *stm);
void lower_soac_sequential(Lower *L, const CoreStm *stm, const CoreSoac *soac);
/* The same, but gives the results and binds nothing to them. */
void lower_soac_loop(Lower *L, const CoreStm *stm, const CoreSoac *soac, Value *results);
/* [masked.c] A row of a sequential fold in a kernel that a bit takes out, folded under an `if`; false,
   and nothing done, where the fold is no such. */
bool lower_masked_row(Lower *L, const CoreSoac *soac, const KernelExp *index,
                      Accumulator *accumulators);
/* The lambda's results for these arguments. */
void lower_apply(Lower *L, const CoreLambda *lambda, const Value *arguments,
                 const Reader *const *wanted, Value *results);
/* Binds one row of each input to the lambda's parameters. */
void lower_bind_rows(Lower *L, const CoreLambda *lambda, size_t first, size_t count,
                     const CoreAtom *inputs, const KernelExp *index);
/* accumulators := function(accumulators, operands) */
void lower_accumulate(Lower *L, const CoreReduction *reduction, Accumulator *accumulators,
                      const Value *operands);
/* Of so many reductions or scans, one behind the other: accumulators that begin with the neutral elements; the same as above. */
Accumulator *lower_all_accumulators(Lower *L, size_t count, const CoreReduction *reductions);
void lower_accumulate_all(Lower *L, size_t count, const CoreReduction *reductions,
                          Accumulator *accumulators, const Value *operands);
Value lower_accumulated(Lower *L, const Accumulator *accumulator);
size_t lower_width(const CoreReduction *reduction); /* its number of accumulators */
bool lower_is_cheap(const CoreExp *exp);

/* ---- grid.c ---------------------------------------------------------------------------------- */

/* Work-items of a group that has few rows, or much in local memory of each; bytes of local memory that a group may have: of
   every device what OpenCL asks of it, of those whose groups wait for each other, or that have matrix units, as GPUs give them (MORE_LOCAL_MEMORY of runtime/opencl_device.c). */
enum { LOWER_SMALL_GROUP = 64, LOWER_LOCAL_BYTES = 32 << 10, LOWER_MORE_LOCAL_BYTES = 48 << 10 };

typedef struct LowerKernel {
    Frame frame;
    KernelBuilder body;
    KernelBuilder *host;
    Scope *scope;
    KernelVariable *index; /* GRID: the iteration; GROUP: the group */
    KernelVariable *item;
    bool grouped;
    int64_t
        lanes; /* work-items of a group: KERNEL_GROUP_SIZE, or set to LOWER_SMALL_GROUP after begin */
} LowerKernel;

/* Host only. Between begin and end commands go into the kernel's body; end says whether it can be a
   kernel (if not, as one that takes too much local memory, nothing was added). */
void lower_kernel_begin(Lower *L, LowerKernel *kernel, bool grouped);
bool lower_kernel_end(Lower *L, LowerKernel *kernel, const char *kind, const char *text,
                      const KernelExp *count);
/* What end does about scratch memory, a piece for each of frame.items: how many may have some, at least one; on the host,
   before the kernel and behind it. */
const KernelExp *lower_most_with_scratch(Lower *L, const LowerKernel *kernel);
void lower_allocate_scratch(Lower *L, const LowerKernel *kernel);
void lower_release_scratch(Lower *L, const LowerKernel *kernel);
void lower_local_begin(Lower *L, LowerKernel *kernel, LowerLoop *local);
void lower_local_end(Lower *L, LowerKernel *kernel, LowerLoop *local);
/* So many branches of as many work-items make a group, whose values in local memory are combined in two steps; LOWER_BRANCHES
   where it is none of the small ones. */
enum { LOWER_BRANCHES = 16 };
int64_t lower_branches(int64_t lanes);
/* The place of work-item l's value there. Behind each branch one place is left out: work-items that go through a branch each are
   at different banks of the memory. */
const KernelExp *lower_lane(Lower *L, const KernelExp *l, int64_t lanes);
/* Indices of a row-major iteration number. */
KernelExps lower_unflatten(Lower *L, const KernelExp *number, int rank, KernelExps extents);
/* A map as one grid kernel; false where it must be a host loop. */
bool lower_map_grid(Lower *L, const CoreStm *stm, const CoreSoac *soac);
/* The same, with a kernel for processors beside it. */
bool lower_map_items(Lower *L, const CoreStm *stm, const CoreSoac *soac);

/* Maps in each other: beside each but the innermost one are cheap statements alone. */
typedef struct NestLevel {
    const CoreSoac *soac;
    const CoreStm *inner; /* the map inside, last of the body; NULL at the innermost level */
    const size_t *outs;   /* for each result of the lambda: which acceptor; SIZE_MAX: none */
    bool asserts;         /* an assertion stands beside the inner map */
} NestLevel;

typedef struct Nest {
    VEC(NestLevel) levels;
    VEC(CoreAtom) extents; /* of all levels, then of the views that innermost results are */
    PointerMap inside;     /* names bound in the nest */
    size_t view_rank;      /* of those views; 0: innermost results are anything */
    size_t out_count;
    const Reader **outs;
} Nest;

/* Not bound in the nest. */
bool lower_is_outside(const Nest *nest, CoreAtom atom);
/* Finds the nest that the statement is, and places for its results; its extents as scalars of the host. */
Nest *lower_nest(Lower *L, const CoreStm *stm, const CoreSoac *soac);
KernelExps lower_nest_extents(Lower *L, const Nest *nest);
/* In a kernel: the level's row, and the statements beside the map inside; gives its guard. */
const KernelExp *lower_enter_level(Lower *L, const NestLevel *level, const KernelExp *index);
/* In a kernel: the nest's function at these indices, stored. */
void lower_nest_element(Lower *L, const Nest *nest, KernelExps indices);
/* The nest as one kernel with a work-item an element; false where that cannot be. */
bool lower_nest_grid(Lower *L, const Nest *nest, KernelExps extents, const char *text);
/* A sequential loop in a kernel of one work-item: body(context) is called to make it. */
bool lower_single_item(Lower *L, const char *kind, const char *text,
                       void (*body)(Lower *L, void *context), void *context);

/* ---- turned.c -------------------------------------------------------------------------------- */

/* Something that is done for all indices, each in a work-item. */
typedef struct Turned {
    int rank;
    KernelExps extents;
    const char *text;
    void (*element)(Lower *L, const void *context, KernelExps indices); /* in a kernel */
    const void *context;
    int axis; /* the last axis and this one make tiles */
} Turned;

/* Whether it reads arrays turned; finds the axis. */
bool lower_is_turned(Lower *L, Turned *turned);
/* Commands of the host: it in tiles where sizes suit, else these, which do it in another way; false where that
   cannot be (and nothing is added). */
bool lower_turned_or(Lower *L, const Turned *turned, KernelBlock items);
/* A map that reads arrays turned as kernels in tiles, where sizes suit, or as others; false where it does
   not (and nothing is added). */
bool lower_map_turned(Lower *L, const CoreStm *stm, const CoreSoac *soac);

/* ---- segmented.c, strides.c ------------------------------------------------------------------ */

/* The statement, a nest that ends in a reduction or scan, in versions that suit its sizes; false
   where there is just the one that lower_nest_grid makes (and nothing is added). */
bool lower_segmented(Lower *L, const CoreStm *stm, const Nest *nest, KernelExps extents,
                     const char *text);
/* What is added to exp where the variable is one more, the same everywhere; NULL where that is not so. */
const KernelExp *lower_step(Lower *L, const KernelExp *exp, const KernelVariable *variable);
/* An i64 that is known to be 0 or 1. */
bool lower_is_bit(Lower *L, const KernelExp *exp);
/* How many of the accesses to device memory in the block, made in a kernel, are not to the same or
   to the next element when the variable is one more, and `same` (where not NULL) is what it was, although it may be made
   of the variable. */
size_t lower_far_accesses(Lower *L, KernelBlock block, const KernelExp *variable,
                          const KernelExp *same);
/* Those that are to neighbours where `outer` grows by one, as of a matrix that is read turned. */
size_t lower_turned_accesses(Lower *L, KernelBlock block, const KernelExp *inner,
                             const KernelExp *outer);

/* ---- strips.c -------------------------------------------------------------------------------- */

/* What becomes of a strip: element `number` of it, whose results are given, or the element at an
   index, which is to be computed. */
typedef struct StripUse {
    void (*element)(Lower *L, void *context, const KernelExp *first, size_t number,
                    const Value *results);
    void (*single)(Lower *L, void *context, const KernelExp *index);
    void *context;
} StripUse;

/* Strips may see through the view, or the other name, that this statement of the host makes. */
void lower_note_view(Lower *L, const CoreStm *stm);
/* The nest as one kernel with a work-item a strip; false where that would gain little. `of_folds`:
   there are folds in its function, which elements share in part. */
bool lower_nest_strips(Lower *L, const Nest *nest, KernelExps extents, const char *text,
                       bool of_folds);
/* Strips of the rows of a reduction with `reduced` results; NULL as above. */
const CoreStrip *lower_reduction_strip(Lower *L, const CoreStm *stm, const CoreSoac *soac,
                                       size_t reduced);
/* How many strips a row of `extent` elements is. */
const KernelExp *lower_strip_count(Lower *L, const CoreStrip *strip, const KernelExp *extent);
/* In a kernel: this strip of the rows. */
void lower_strip_of_rows(Lower *L, const CoreStrip *strip, const KernelExp *number,
                         const KernelExp *width, const StripUse *use);

/* ---- group.c, strategy.c --------------------------------------------------------------------- */

/* Host: a map whose iterations are work-groups; false where it cannot be. */
bool lower_map_group(Lower *L, const CoreStm *stm, const CoreSoac *soac);
/* In a GROUP kernel: the reductions by the group's work-items; their results are uniform scalars.
   Arrays go to where they are wanted. Returns the bytes of local memory taken. */
int64_t lower_reduce_in_group(Lower *L, LowerKernel *kernel, const CoreStm *stm,
                              const CoreSoac *soac);
/* The statement's level (@grid or @group), or its space, cannot be kept: reported once. */
void lower_refuse_level(Lower *L, const CoreStm *stm, const char *why);
void lower_refuse_space(Lower *L, const CoreStm *stm, const char *why);
/* Scalars that every work-item of a group can compute, and views. */
bool lower_is_uniform(const CoreStm *stm);
bool lower_has_constant_sizes(CoreType type);
bool lower_is_map(const CoreExp *exp);
bool lower_is_scalar_reduce(const CoreExp *exp);
/* Whether a SOAC of level @grid or @group is in one of its bodies. */
bool lower_has_kernels(const CoreExp *exp);

/* ---- reduce.c, scan.c, filter.c, irregular.c, effects.c -------------------------------------- */

/* How a width is shared out among groups of work-items: host scalars. */
void lower_share_out(Lower *L, const KernelExp *width, const KernelExp **groups,
                     const KernelExp **items, const KernelExp **chunk);
/* The length of the contiguous chunk that begins at `start`. */
const KernelExp *lower_chunk_length(Lower *L, const KernelExp *start, const KernelExp *chunk,
                                    const KernelExp *width);
/* All accumulators are scalars. */
bool lower_scalar_operator(const CoreReduction *reduction);
/* Few scalar operations, no loop, nothing that may fail: worth being written out several times. */
bool lower_is_light(const CoreLambda *lambda);
/* The same of all operators of scans. */
bool lower_scans_are_light(const CoreSoac *soac);
/* Rows of a work-item at most in kernels that look back, and bytes of local memory: large tiles do so less often. */
enum { LOOK_BACK_ROWS = 32, LOOK_BACK_BYTES = LOWER_MORE_LOCAL_BYTES - 1024 };
/* Tiles before its own that a tile looks at: of more it would wait for those far before it, of which one nearer often tells
   the sum. They are folded in branches. */
enum { LOOK_BACK_WINDOW = 4 * LOWER_BRANCHES };
bool lower_reduce_groups(Lower *L, const CoreStm *stm, const CoreSoac *soac);
/* Local memory has room for what the work-items of a group have come to, if those are scalars. */
bool lower_reduces_in_groups(const CoreSoac *soac);
bool lower_scan_groups(Lower *L, const CoreStm *stm, const CoreSoac *soac);
/* [epilogue.c] A function of scalars without loops, with so few statements and dear operators: what
   neighbours that happen to be a pair may do in one kernel. Those of what is done twice, and of what
   is taken in: */
enum { LOWER_MOST_AGAIN = 32, LOWER_MOST_TAKEN = 300, LOWER_MOST_DEAR = 15 };
bool lower_is_short(const CoreLambda *map, size_t statements, size_t dear);
/* On the host: this statement of the body and the next one, or the next two, in the same kernels or loop; how many
   statements that are: 0, and nothing bound, where that cannot be. */
size_t lower_several(Lower *L, const CoreBody *body, size_t i, const LastUses *uses);
/* A scan and the statement after it, which takes its rows; as lower_several. needed: which results of
   the scan are used later. */
bool lower_scan_pair(Lower *L, const CoreStm *first, const CoreStm *second, const bool *needed);
/* SCATTER and HIST: where rows go and come from. */
typedef struct Targets {
    const CoreExp *exp;
    size_t count;
    const Reader **targets; /* the destinations' memory */
    const Reader **values;  /* NULL: the maker's */
    const Reader *indices;  /* likewise */
    const CoreStm *maker;   /* a map whose rows are computed where they are wanted; or NULL */
    Value *made;            /* what it gives for the row at work */
    const CoreStm *scan;    /* in whose kernel it is done; or NULL */
    const Value *scanned;   /* what it has finished for the row at work */
} Targets;
Targets lower_targets(Lower *L, const CoreStm *stm, const CoreStm *maker, const CoreStm *scan);
/* The row with this number is at work: where it goes, and then its value for destination k. */
const KernelExp *lower_target_row(Lower *L, const Targets *targets, const KernelExp *index);
Value lower_target_value(Lower *L, const Targets *targets, size_t k, const KernelExp *index);
/* The row with this number of a scatter; context: its Targets. */
void lower_scatter_row(Lower *L, void *context, const KernelExp *index);
/* A map of scalar work on scalars: what may be done once more, and wherever. */
bool lower_is_maker(const CoreStm *stm);
/* The scatter or histogram takes rows of what the maker makes; it takes it in no other way, and the maker reads nothing
   that is written. */
bool lower_takes_rows(const CoreStm *maker, const CoreStm *stm);
bool lower_is_apart(Lower *L, const CoreStm *maker, const CoreStm *stm);
/* A scan, a map or NULL, and the scatter that takes rows of these: in the scan's kernel; as lower_several. */
bool lower_scan_scatter(Lower *L, const CoreStm *first, const CoreStm *map, const CoreStm *scatter,
                        const bool *needed);
/* A scan and the filter after it that keeps its rows, by what is no scanned row; likewise. */
/* The statement checks something inside. Of two that do, the first has to be over before the second says anything. */
bool lower_checks(const CoreStm *stm);
/* A filter, or one whose results have room for all rows. */
bool lower_is_filter(const CoreStm *stm);
bool lower_filter_pair(Lower *L, const CoreStm *first, const CoreStm *second, const bool *needed);
/* A map and the scatter or histogram after it, which alone takes its rows; as lower_several. */
bool lower_scatter_pair(Lower *L, const CoreStm *first, const CoreStm *second, const bool *needed);
/* Whether the index is inside destination 0; all have the same number of rows. */
const KernelExp *lower_is_inside(Lower *L, const Targets *targets, const KernelExp *at);
void lower_bind_targets(Lower *L, const CoreStm *stm, const Targets *targets);
/* body(L, context, i) for every i < count: as a grid where that can be, else as a loop. */
void lower_for_each(Lower *L, const char *kind, const char *text, const KernelExp *count,
                    void (*body)(Lower *L, void *context, const KernelExp *index), void *context);
void lower_filter(Lower *L, const CoreStm *stm);
const Reader *lower_room_for_all(Lower *L, const CoreStm *filter, size_t k);
/* maker: as in Targets. */
void lower_scatter(Lower *L, const CoreStm *stm, const CoreStm *maker);
void lower_hist(Lower *L, const CoreStm *stm, const CoreStm *maker);
void lower_digit_sort(Lower *L, const CoreStm *stm); /* digit_sort.c */
void lower_stream(Lower *L, const CoreStm *stm);
/* Host: a stream_map or stream_red as kernels; false where its fold cannot be one. */
bool lower_stream_parallel(Lower *L, const CoreStm *stm);
/* Of PRINT, FORMAT and RESULT: shows the array, elements that lie one after the other; or its copy, if that is not NULL. */
void lower_show(KernelEffect *effect, const Reader *array, KernelVariable *copy);
void lower_effect(Lower *L, const CoreStm *stm);

#endif
