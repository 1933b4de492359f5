/* Core: a pure, strict, monomorphic language of second-order array combinators (SOACs) in A-normal
   form, with sizes in types ([PLDI] section 2, [L0] chapter 2; docs/core.md).

   A program is a list of functions; a body is a list of statements and the atoms it returns; a
   statement binds names to the results of one expression. Every name is unique in the program and
   is one CoreName, compared by pointer, that carries its type. Nodes are immutable once built and
   live in the compilation's arena. */
#ifndef CORE_CORE_H
#define CORE_CORE_H

#include "base/compilation.h"

/* ---- types ------------------------------------------------------------------------------- */

typedef enum CorePrim {
    CORE_BOOL, /* one byte in memory */
    CORE_CHAR, /* a Unicode scalar, 32 bits in memory */
    CORE_I32,
    CORE_I64,
    CORE_F32,
    CORE_F64,
    CORE_CERT /* what an assertion gives: no value at run time */
} CorePrim;

const char *core_prim_text(CorePrim prim); /* bool char i32 i64 f32 f64 cert */
bool core_is_int(CorePrim prim);
bool core_is_real(CorePrim prim);
/* Of an element in memory. */
unsigned core_prim_bytes(CorePrim prim);

struct CoreName;

/* A constant or a name. Sizes, indices and all scalar operands are atoms. */
typedef struct CoreAtom {
    struct CoreName *name; /* NULL for a constant */
    CorePrim prim;         /* of a constant */
    union {
        int64_t integer; /* BOOL (0 or 1), CHAR (code point), I32, I64 */
        double real;     /* F32 (already rounded), F64 */
    } as;
} CoreAtom;

/* Scalars have rank 0. Sizes are i64 atoms: constants or names. A size name is bound before (or by
   an earlier name of the same pattern as) the name whose type mentions it: this is how existential
   sizes are written, e.g. let (m, ys : [m]f64) = filter ... */
typedef struct CoreType {
    CorePrim prim;
    int rank;
    const CoreAtom *sizes; /* rank of them, outermost first */
    bool unique;           /* *T: parameters and results that may be consumed [PLDI 3] */
} CoreType;

typedef struct CoreName {
    const char *text; /* from the source where there is one; letters, digits and _ only */
    unsigned number;  /* unique: printed text_number */
    CoreType type;
    Span span;
} CoreName;

CoreType core_scalar(CorePrim prim);
CoreType core_array(Compilation *c, CorePrim prim, int rank, const CoreAtom *sizes);
/* The type of a[i]: outermost dimension removed. Requires rank > 0. */
CoreType core_row(CoreType type);
/* [size]T. */
CoreType core_array_of(Compilation *c, CoreAtom size, CoreType row);
CoreName *core_name(Compilation *c, const char *text, CoreType type, Span span);

CoreAtom core_use(CoreName *name);
CoreAtom core_bool(bool value);
CoreAtom core_char(uint32_t codepoint);
CoreAtom core_int(CorePrim prim, int64_t value); /* wraps to I32 or I64 */
CoreAtom core_i64(int64_t value);
CoreAtom core_real(CorePrim prim, double value); /* rounds to F32 or F64 */
CoreAtom core_zero(CorePrim prim);               /* of any prim but a certificate */
CoreType core_atom_type(CoreAtom atom);
/* Same constant (doubles by bits) or same name. */
bool core_atom_equal(CoreAtom a, CoreAtom b);
bool core_has_same_sizes(CoreType a, CoreType b);
bool core_is_constant(CoreAtom atom);

/* ---- operators --------------------------------------------------------------------------- */

/* One enumerator a row of operators.def: CORE_ADD, CORE_SQRT, ... */
typedef enum CoreOperator {
#define CORE_OPERATOR(enumerator, text, arity, domain, result, meaning) CORE_##enumerator,
#include "core/operators.def"
#undef CORE_OPERATOR
    CORE_OPERATOR_COUNT
} CoreOperator;

const char *core_operator_text(CoreOperator op);
int core_operator_arity(CoreOperator op); /* 1 or 2 */
/* Whether operands of this prim are allowed. */
bool core_operator_accepts(CoreOperator op, CorePrim prim);
/* The result for operands of this prim: the same, or bool for comparisons. */
CorePrim core_operator_result(CoreOperator op, CorePrim prim);
/* Operators of more than a few operations of a processor: functions like a sine, powers, divisors. */
bool core_is_dear(CoreOperator op);
/* Known to be associative on that prim, as reductions understand it ([+ *] on reals included), and
   commutative. */
bool core_operator_associative(CoreOperator op, CorePrim prim);
/* The constant that is its identity element; false where it has none. */
bool core_operator_identity(CoreOperator op, CorePrim prim, CoreAtom *identity);
/* The comparison that is true exactly where this one is not: of reals, with nan, only == and != have
   one. */
bool core_operator_opposite(CoreOperator op, CorePrim prim, CoreOperator *other);

/* ---- expressions ------------------------------------------------------------------------- */

enum {
    CORE_MOST_VALUES = 8, /* of an assertion: two shapes of rank 4. As TL_FAILURE_VALUES */
    CORE_MOST_STAGE = 255 /* of an assertion */
};

/* What an assertion says when it fails, in APL's words. */
typedef enum CoreErrorKind {
    CORE_LENGTH_ERROR,
    CORE_RANK_ERROR,
    CORE_INDEX_ERROR,
    CORE_DOMAIN_ERROR,
    CORE_LIMIT_ERROR,
    CORE_ERROR_KIND_COUNT
} CoreErrorKind;

const char *core_error_text(CoreErrorKind kind); /* "LENGTH ERROR", ... */

/* Where a SOAC runs [DPIA 6]; AUTO is the compiler's to choose. */
typedef enum CoreLevel { CORE_LEVEL_AUTO, CORE_SEQ, CORE_THREAD, CORE_GROUP, CORE_GRID } CoreLevel;
/* Where a SOAC's array results live. */
/* CORE_STORED: of a copy, that on the host the array is in memory from there on, and is not computed where it is read; nothing
   in functions of SOACs. CORE_UPDATED: of a map or copy, that its results are written where the updates behind it put them, one each
   (core/locality/in_place.c); no program may say so. */
typedef enum CoreSpace {
    CORE_SPACE_AUTO,
    CORE_PRIVATE,
    CORE_LOCAL,
    CORE_GLOBAL,
    CORE_STORED,
    CORE_UPDATED
} CoreSpace;

/* What a file holds (order of tl_file_format). */
typedef enum CoreFileFormat {
    CORE_FILE_TEXT, /* numbers or characters: a vector */
    CORE_FILE_CSV,  /* rows of numbers: a matrix */
    CORE_FILE_NPY   /* NumPy's, of a rank that the program says */
} CoreFileFormat;

/* What DIGIT_SORT sorts by: digits of so many bits, so many different ones; an i64 has so many. */
enum { CORE_DIGIT_BITS = 8, CORE_DIGITS = 1 << CORE_DIGIT_BITS, CORE_I64_DIGITS = 8 };

typedef enum CoreExpKind {
    /* scalars and control */
    CORE_EXP_ATOM,    /* x: another name for an atom of any type */
    CORE_EXP_UNARY,   /* op x */
    CORE_EXP_BINARY,  /* x op y, both of one prim */
    CORE_EXP_CONVERT, /* to prim x: between bool, char, ints, reals; real to int truncates towards
                         0, saturates, nan is 0; to bool: x != 0 */
    CORE_EXP_IF,      /* if c then {body} else {body} */
    CORE_EXP_LOOP,    /* loop (p = e, ...) for i < n | while p do {body} */
    CORE_EXP_APPLY,   /* f(x, ...) */
    /* assertions */
    CORE_EXP_ASSERT,  /* assert c, message: gives a certificate */
    CORE_EXP_CONJOIN, /* all of these certificates */
    /* arrays: elements and making */
    CORE_EXP_INDEX,     /* a[i, ...]: all indices: a scalar; fewer: a row, as a view */
    CORE_EXP_UPDATE,    /* a with [slice] <- v, consumes a */
    CORE_EXP_LITERAL,   /* [x, ...] of scalars or of equal-shaped arrays */
    CORE_EXP_IOTA,      /* iota n: 0 .. n-1, view */
    CORE_EXP_REPLICATE, /* replicate [n, ...] x: view; x a scalar or an array */
    CORE_EXP_SCRATCH,   /* scratch [n, ...] prim: contents undefined until written */
    CORE_EXP_COPY,      /* copy a: stored anew */
    /* views: computed by index, never stored unless a pass says so */
    CORE_EXP_REARRANGE, /* rearrange (p0, ...) a: result axis k is axis p[k] of a */
    CORE_EXP_RESHAPE, /* reshape [n, ...] a: same number of elements, row-major; with equal rank and
                         equal extents it is a change of size names ("coercion") */
    CORE_EXP_CYCLE,   /* cycle n fill v: rank 1; element i is v[i mod size v], fill where v is empty
                       */
    CORE_EXP_ROTATE,  /* rotate d k a: element i of axis d is a's (i + k) mod n; any k */
    CORE_EXP_REVERSE, /* reverse d a */
    CORE_EXP_SLICE,   /* a[i, o :+ n * s, ...] fixed axes go; strides may be 0 or negative */
    CORE_EXP_CONCAT,  /* concat d a b ...: extents of the other axes agree */
    CORE_EXP_PAD,     /* pad d before after fill a; before and after are not negative */
    /* SOACs */
    CORE_EXP_SOAC,   /* map, reduce, reduce_comm, scan, redomap and their fusions */
    CORE_EXP_FILTER, /* (m, ys : [m]t, ...) = filter p xs ... */
    CORE_EXP_COMPACT, /* (m, ys : [n]t, ...) = compact p xs ...: the same, where the first m rows are those kept, and the
                         others' contents are undefined */
    CORE_EXP_SCATTER, /* scatter dest is vs: consumes dest; out-of-bounds indices are ignored */
    CORE_EXP_HIST,    /* hist op ne dest is vs: consumes dest; out-of-bounds indices are ignored */
    CORE_EXP_ORDER, /* order ks : [..][n]i64: for each row the numbers of its keys, from 0, the least key's first, of equal
                       ones the least number first; how that is found: core/locality/orders.c */
    CORE_EXP_DIGIT_SORT, /* digit_sort d xs : [n]i64: xs in the order of its bytes number d mod 8, from the last one on,
                            without sign; of equal ones elements keep theirs: a pass of a radix sort; of [m][n]i64
                            each row */
    CORE_EXP_STREAM_MAP, /* [PLDI 2.4] chunked; any partition gives the same result */
    CORE_EXP_STREAM_RED,
    CORE_EXP_STREAM_SEQ,
    /* effects: on the host, in program order, never removed, doubled or moved */
    CORE_EXP_PRINT,         /* print x: no result */
    CORE_EXP_PRINT_COMPLEX, /* print_complex x: the real parts x[0], the imaginary parts x[1] */
    CORE_EXP_READ,          /* (n, xs : [n]prim) = read prim name; name : [k]char; read_csv and
                               read_npy give as many sizes as they have axes */
    CORE_EXP_ARGUMENT,      /* program argument `name` of prim, or the default atom */
    CORE_EXP_NOW,       /* i64 milliseconds since the program began, after all that comes before */
    CORE_EXP_DRAWS,     /* draws n: reserves n random draws, i64 number of the first */
    CORE_EXP_SEED,      /* seed x: sets the seed (i64), no result */
    CORE_EXP_SEED_NOW,  /* i64: the seed in force */
    CORE_EXP_PRECISION, /* precision n: sets how many significant digits reals show, no result */
    CORE_EXP_PRECISION_NOW, /* i64: how many they show now */
    CORE_EXP_DEVICE, /* device name: i64, what the device is good at, by the name of a CORE_DEVICE_...; a
                        processor that does one thing after the other has what is least */
    CORE_EXP_BENCH, /* bench iterations milliseconds (timed, ..): reports on standard error, no
                       result; what was timed is computed, used or not */
    /* text, no effect */
    CORE_EXP_FORMAT /* (n, text : [..][n]char) = format how x: any rank, as printed with `how`
                       digits, or, where how : [k]i64, in fields of widths and decimals;
                       format_complex */
} CoreExpKind;

typedef struct CoreStm CoreStm;
typedef struct CoreExp CoreExp;

typedef struct CoreBody {
    size_t stm_count;
    const CoreStm *const *stms;
    size_t result_count;
    const CoreAtom *results;
} CoreBody;

/* Parameters and result types of an anonymous function. Bodies may mention outer names. */
typedef struct CoreLambda {
    size_t parameter_count;
    CoreName *const *parameters;
    const CoreBody *body;
    const CoreType *result_types; /* body->result_count of them */
} CoreLambda;

/* One axis of a slice. */
typedef struct CoreSlice {
    bool fixed; /* position `offset` only: the axis goes */
    CoreAtom offset;
    CoreAtom count, stride; /* unless fixed */
} CoreSlice;

typedef struct CoreReduction {
    const CoreLambda *function; /* 2k parameters, k results */
    const CoreAtom *neutral;    /* k atoms */
    bool commutative;
} CoreReduction;

/* [PLDI 4], [REDO 3]: one node for map, reduce, scan and their fusions. The map lambda takes one
   row of each input and returns first the operands of the reductions, then those of the scans, then
   the mapped-out results; a missing map lambda is the identity. Results come in the same order: the
   reductions' accumulators, the scans' arrays, the mapped arrays. */
typedef struct CoreSoac {
    CoreAtom width; /* number of rows of every input */
    size_t input_count;
    const CoreAtom *inputs; /* arrays whose outermost size is width */
    const CoreLambda *map;  /* never NULL: the identity is built by core_identity_lambda */
    size_t reduction_count;
    const CoreReduction *reductions;
    size_t scan_count;
    const CoreReduction *scans;
} CoreSoac;

struct CoreExp {
    CoreExpKind kind;
    CoreLevel level; /* SOACs; IF: GRID, where kernels of both branches are started */
    CoreSpace space; /* SOACs, COPY, SCRATCH, REPLICATE */
    union {
        CoreAtom atom; /* ATOM, PRINT, NOW (ignored), DRAWS, SEED, FORMAT */
        struct {
            CoreOperator op;
            CorePrim prim;
            CoreAtom x, y;
        } scalar; /* UNARY, BINARY; prim of the operands */
        struct {
            CorePrim to;
            CoreAtom x;
        } convert;
        struct {
            CoreAtom condition;
            const CoreBody *then_body, *else_body;
        } conditional;
        struct {
            size_t parameter_count;
            CoreName *const
                *parameters; /* types may mention earlier parameters (extents as loop state) */
            const CoreAtom *initial;
            CoreName *index;      /* for i < bound; NULL: while */
            CoreAtom bound;       /* for: i64, evaluated once; not positive means no iteration */
            CoreName *condition;  /* while: one of the parameters, a bool */
            const CoreBody *body; /* results: the next values of the parameters */
        } loop;
        struct {
            const char *function;
            size_t count;
            const CoreAtom *arguments;
        } apply;
        struct {
            CoreAtom condition;
            CoreErrorKind error;
            const char *message; /* "{} and {}": each {} is filled by the next value; may be "" */
            size_t value_count;  /* at most CORE_MOST_VALUES scalars, not bool or char */
            const CoreAtom *values;
            unsigned stage; /* in a SOAC's function: of all rows, lesser stages come first */
        } assertion;
        struct {
            size_t count;
            const CoreAtom *items;
        } items; /* CONJOIN, LITERAL */
        struct {
            CoreAtom array;
            size_t count;
            const CoreAtom *indices;
        } index;
        struct {
            CoreAtom array;
            size_t count;
            const CoreSlice *slices;
            CoreAtom value;
        } update;
        CoreAtom count; /* IOTA */
        struct {
            size_t count;
            const CoreAtom *sizes;
            CoreAtom value;
        } replicate;
        struct {
            CorePrim prim;
            size_t count;
            const CoreAtom *sizes;
        } scratch;
        CoreAtom array; /* COPY */
        struct {
            CoreAtom array;
            const int *permutation;
        } rearrange; /* rank of them */
        struct {
            CoreAtom array;
            size_t count;
            const CoreAtom *sizes;
        } reshape;
        struct {
            CoreAtom array, count, fill;
        } cycle;
        struct {
            CoreAtom array;
            int axis;
            CoreAtom amount;
        } rotate;
        struct {
            CoreAtom array;
            int axis;
        } reverse;
        struct {
            CoreAtom array;
            size_t count;
            const CoreSlice *slices;
        } slice; /* one per axis */
        struct {
            int axis;
            size_t count;
            const CoreAtom *arrays;
        } concat;
        struct {
            CoreAtom array;
            int axis;
            CoreAtom before, after, fill;
        } pad;
        CoreSoac soac;
        /* The predicate's first result says whether a row is kept. What is kept are the rows of the
           inputs, or, where it has more results, these, which are scalars. */
        struct {
            CoreAtom width;
            size_t input_count;
            const CoreAtom *inputs;
            const CoreLambda *predicate;
        } filter;
        /* SCATTER: k destinations, k value arrays of the same width as the one index array.
           HIST: op has 2k parameters, neutral k atoms. */
        struct {
            CoreAtom width;
            size_t count;
            const CoreAtom *destinations;
            CoreAtom indices;
            const CoreAtom *values;
            const CoreLambda *op;
            const CoreAtom *neutral;
        } scatter;
        struct {
            CoreAtom array, digit;
        } digit_sort;
        /* STREAM_*: fold's parameters are the chunk size (i64), the accumulators (RED and SEQ),
           then one chunk of each input; results the new accumulators, then the mapped chunks.
           reduce (RED): 2k parameters. neutral: initial accumulators, k of them. */
        struct {
            CoreAtom width;
            size_t input_count;
            const CoreAtom *inputs;
            const CoreLambda *fold;
            const CoreLambda *reduce;
            size_t accumulator_count;
            const CoreAtom *neutral;
            bool commutative;
        } stream;
        struct {
            CoreAtom how, array;
            bool is_complex; /* the first axis is 2: real and imaginary parts */
        } format;
        struct {
            CoreFileFormat format;
            CorePrim prim;
            int rank;
            CoreAtom file;
        } read;
        struct {
            CorePrim prim;
            const char *name;
            CoreAtom fallback;
        } argument;
        const char *device; /* DEVICE */
        struct {
            CoreAtom iterations, milliseconds;
            size_t count;
            const CoreAtom *timed;
        } bench;
    } as;
};

/* let (pattern) = <certificates> exp. With certificates the expression is only meaningful where the
   assertions hold. */
struct CoreStm {
    size_t pattern_count;
    CoreName *const *pattern;
    size_t certificate_count;
    const CoreAtom *certificates;
    const CoreExp *exp;
    Span span;
};

typedef struct CoreFunction {
    const char *name;
    size_t parameter_count;
    CoreName *const *parameters; /* unique in the type: may be consumed */
    size_t size_count; /* the first parameters, i64, that are only sizes of later ones: who runs an
                          entry leaves them out, who calls the function gives them */
    size_t result_count;
    const CoreType *result_types; /* may mention parameters; existential sizes: see below */
    const bool *size_results; /* one a result: an i64 that is only a size of later results, which
                                 an entry does not show; NULL where there is none */
    const CoreBody *body;
    bool is_entry;
    Span span;
} CoreFunction;
/* So many work-items of a group read memory together; 1: each for itself, as on processors. */
#define CORE_DEVICE_LANES "lanes"
/* So many bytes the device copies in the time in which the host waits for it once; 0: the host need not wait. */
#define CORE_DEVICE_COPIED_BYTES "copied_bytes"
/* Existential sizes of function, if and loop results: the sizes are returned too, as scalars before
   the arrays that use them, and the binding pattern names them. */

typedef struct CoreProgram {
    size_t function_count;
    const CoreFunction *const *functions; /* callees before callers; recursion is not allowed */
} CoreProgram;

/* ---- constructors (core/build.c) ----------------------------------------------------------- */

/* Collects the statements of one body. */
typedef struct CoreBuilder {
    Compilation *c;
    VEC(const CoreStm *) stms;
    VEC(CoreAtom) certificates; /* put on every statement built while they are there */
    Span span;                  /* put on every statement and name built */
} CoreBuilder;

CoreBuilder core_builder(Compilation *c, Span span);
const CoreBody *core_body(CoreBuilder *b, size_t result_count, const CoreAtom *results);
const CoreLambda *core_lambda(Compilation *c, size_t parameter_count, CoreName *const *parameters,
                              const CoreBody *body);
/* \x ... -> x ... */
const CoreLambda *core_identity_lambda(Compilation *c, size_t count, const CoreType *types);

/* The expression that is the atom. */
CoreExp *core_atom_exp(Compilation *c, CoreAtom atom);
/* Adds let (pattern) = exp with the builder's certificates and span. */
void core_bind(CoreBuilder *b, size_t pattern_count, CoreName *const *pattern, const CoreExp *exp);
/* Adds a statement as it is. */
void core_add(CoreBuilder *b, const CoreStm *stm);
/* All statements of the body. */
void core_add_all(CoreBuilder *b, const CoreBody *body);
/* The types of an expression's results, by its operands; NULL-sized existential sizes of FILTER,
   READ and FORMAT are not part of it (they get fresh names in core_let). For APPLY give the types
   yourself. */
/* One-result expressions: bind a fresh name `text` of the type that follows from the operands, and
   return it. These assert the invariants of what they build (ranks, prims, counts). */
CoreAtom core_let_unary(CoreBuilder *b, const char *text, CoreOperator op, CoreAtom x);
CoreAtom core_let_binary(CoreBuilder *b, const char *text, CoreOperator op, CoreAtom x, CoreAtom y);
CoreAtom core_let_convert(CoreBuilder *b, const char *text, CorePrim to, CoreAtom x);
CoreAtom core_let_atom(CoreBuilder *b, const char *text, CoreAtom x);
CoreAtom core_let_assert(CoreBuilder *b, CoreAtom condition, CoreErrorKind error,
                         const char *message, size_t value_count, const CoreAtom *values);
CoreAtom core_let_conjoin(CoreBuilder *b, size_t count, const CoreAtom *certificates);
CoreAtom core_let_index(CoreBuilder *b, const char *text, CoreAtom array, size_t count,
                        const CoreAtom *indices);
CoreAtom core_let_update(CoreBuilder *b, const char *text, CoreAtom array, size_t count,
                         const CoreSlice *slices, CoreAtom value);
CoreAtom core_let_literal(CoreBuilder *b, const char *text, size_t count, const CoreAtom *items);
CoreAtom core_let_iota(CoreBuilder *b, const char *text, CoreAtom count);
CoreAtom core_let_replicate(CoreBuilder *b, const char *text, size_t count, const CoreAtom *sizes,
                            CoreAtom value);
CoreAtom core_let_scratch(CoreBuilder *b, const char *text, CorePrim prim, size_t count,
                          const CoreAtom *sizes);
CoreAtom core_let_copy(CoreBuilder *b, const char *text, CoreAtom array);
/* The same, in that space. */
CoreAtom core_let_copy_in(CoreBuilder *b, const char *text, CoreAtom array, CoreSpace space);
CoreAtom core_let_rearrange(CoreBuilder *b, const char *text, CoreAtom array,
                            const int *permutation);
CoreAtom core_let_reshape(CoreBuilder *b, const char *text, CoreAtom array, size_t count,
                          const CoreAtom *sizes);
CoreAtom core_let_cycle(CoreBuilder *b, const char *text, CoreAtom array, CoreAtom count,
                        CoreAtom fill);
CoreAtom core_let_rotate(CoreBuilder *b, const char *text, CoreAtom array, int axis,
                         CoreAtom amount);
CoreAtom core_let_reverse(CoreBuilder *b, const char *text, CoreAtom array, int axis);
CoreAtom core_let_slice(CoreBuilder *b, const char *text, CoreAtom array, const CoreSlice *slices);
/* size: the extent of the result along the axis (the caller has computed the sum). */
CoreAtom core_let_concat(CoreBuilder *b, const char *text, int axis, CoreAtom size, size_t count,
                         const CoreAtom *arrays);
CoreAtom core_let_pad(CoreBuilder *b, const char *text, CoreAtom array, int axis, CoreAtom size,
                      CoreAtom before, CoreAtom after, CoreAtom fill);
/* A new statement `pattern = exp` for expressions with any number of results: allocate with
   ARENA_NEW, or by these. */
const CoreExp *core_exp_if(Compilation *c, CoreAtom condition, const CoreBody *then_body,
                           const CoreBody *else_body);
const CoreExp *core_exp_for(Compilation *c, size_t count, CoreName *const *parameters,
                            const CoreAtom *initial, CoreName *index, CoreAtom bound,
                            const CoreBody *body);
const CoreExp *core_exp_while(Compilation *c, size_t count, CoreName *const *parameters,
                              const CoreAtom *initial, CoreName *condition, const CoreBody *body);
const CoreExp *core_exp_map(Compilation *c, CoreAtom width, size_t input_count,
                            const CoreAtom *inputs, const CoreLambda *function);
/* One reduction over `inputs` (identity map). */
const CoreExp *core_exp_reduce(Compilation *c, CoreAtom width, size_t input_count,
                               const CoreAtom *inputs, const CoreLambda *function,
                               const CoreAtom *neutral, bool commutative);
const CoreExp *core_exp_scan(Compilation *c, CoreAtom width, size_t input_count,
                             const CoreAtom *inputs, const CoreLambda *function,
                             const CoreAtom *neutral);
/* How many arrays a filter gives, and the type of a row of number k. */
size_t core_filter_count(const CoreExp *filter);
CoreType core_filter_row(const CoreExp *filter, size_t k);
const CoreExp *core_exp_filter(Compilation *c, CoreAtom width, size_t input_count,
                               const CoreAtom *inputs, const CoreLambda *predicate);
const CoreExp *core_exp_compact(Compilation *c, CoreAtom width, size_t input_count,
                                const CoreAtom *inputs, const CoreLambda *predicate);
/* How many rows the arrays of such a statement have: FILTER its first result, COMPACT its width. */
CoreAtom core_filter_rows(const CoreStm *stm);
const CoreExp *core_exp_scatter(Compilation *c, CoreAtom width, size_t count,
                                const CoreAtom *destinations, CoreAtom indices,
                                const CoreAtom *values);
/* One HIST: op is \(accumulator, value) -> ..., 2k parameters; neutral k atoms. */
const CoreExp *core_exp_hist(Compilation *c, CoreAtom width, size_t count,
                             const CoreAtom *destinations, CoreAtom indices, const CoreAtom *values,
                             const CoreLambda *op, const CoreAtom *neutral);
/* \x y -> x op y, or \x y -> y op x. */
bool core_is_operator(const CoreLambda *lambda, CoreOperator *op);
/* The same of result k of a function of tuples that has such an operator for each: \x1 .. xn y1 .. yn -> .. xk op yk .. */
bool core_operator_of(const CoreLambda *lambda, size_t k, CoreOperator *op);
/* Its operands may come in any order: it says so, or is an operator of which that is known. */
bool core_commutes(const CoreReduction *reduction);
/* The general SOAC node; map NULL is the identity. */
const CoreExp *core_exp_soac(Compilation *c, CoreAtom width, size_t input_count,
                             const CoreAtom *inputs, const CoreLambda *map, size_t reduction_count,
                             const CoreReduction *reductions, size_t scan_count,
                             const CoreReduction *scans);
/* kind: CORE_EXP_STREAM_MAP (reduce NULL, no accumulators), _RED, or _SEQ (reduce NULL). */
const CoreExp *core_exp_stream(Compilation *c, CoreExpKind kind, CoreAtom width, size_t input_count,
                               const CoreAtom *inputs, const CoreLambda *fold,
                               const CoreLambda *reduce, size_t accumulator_count,
                               const CoreAtom *neutral, bool commutative);
const CoreExp *core_exp_apply(Compilation *c, const char *function, size_t count,
                              const CoreAtom *arguments);
/* The same expression with a level and a space (SOACs, COPY, SCRATCH, REPLICATE). */
const CoreExp *core_exp_placed(Compilation *c, const CoreExp *exp, CoreLevel level,
                               CoreSpace space);
CoreAtom core_let_order(CoreBuilder *b, const char *text, CoreAtom keys);
CoreAtom core_let_digit_sort(CoreBuilder *b, const char *text, CoreAtom array, CoreAtom digit);
/* Binds a fresh name of that type to any one-result expression. */
CoreAtom core_let(CoreBuilder *b, const char *text, CoreType type, const CoreExp *exp);
/* Effects. *count is the fresh size name of FORMAT. */
void core_do_print(CoreBuilder *b, CoreAtom x);
void core_do_print_complex(CoreBuilder *b, CoreAtom parts); /* [2].. of reals */
void core_do_seed(CoreBuilder *b, CoreAtom seed);
void core_do_precision(CoreBuilder *b, CoreAtom digits);
void core_do_bench(CoreBuilder *b, CoreAtom iterations, CoreAtom milliseconds, size_t count,
                   const CoreAtom *timed);
/* An array of that rank from a file; sizes: its extents, fresh names. */
CoreAtom core_let_read(CoreBuilder *b, const char *text, CoreFileFormat format, CorePrim prim,
                       int rank, CoreAtom file, CoreAtom *sizes);
/* Whether files of this format hold arrays of this rank. */
bool core_file_has_rank(CoreFileFormat format, int rank);
CoreAtom core_let_argument(CoreBuilder *b, const char *text, CorePrim prim, const char *name,
                           CoreAtom fallback);
CoreAtom core_let_now(CoreBuilder *b, const char *text);
CoreAtom core_let_draws(CoreBuilder *b, const char *text, CoreAtom count);
CoreAtom core_let_seed_now(CoreBuilder *b, const char *text);
CoreAtom core_let_precision_now(CoreBuilder *b, const char *text);
CoreAtom core_let_device(CoreBuilder *b, const char *name); /* of CORE_DEVICE_... */
CoreAtom core_let_format(CoreBuilder *b, const char *text, CoreAtom how, CoreAtom x,
                         bool is_complex, CoreAtom *count);
/* The type that formatting x gives: the extents of x but the last, then count. */
CoreType core_format_type(Compilation *c, CoreType x, bool is_complex, CoreAtom count);
/* let x, ... = map (\row ... -> function) inputs: binds fresh names for all results. */
void core_let_map(CoreBuilder *b, const char *text, CoreAtom width, size_t input_count,
                  const CoreAtom *inputs, const CoreLambda *function, CoreAtom *results);
/* \(x, y) -> x op y. */
const CoreLambda *core_operator_lambda(Compilation *c, CoreOperator op, CorePrim prim, Span span);

/* ---- walking (core/traverse.c) ------------------------------------------------------------- */

/* Calls `visit` for each atom that the expression itself mentions (operands, sizes; not inside
 * bodies). */
void core_each_operand(const CoreExp *exp, void (*visit)(void *context, CoreAtom atom),
                       void *context);
/* Calls `visit` for each body inside (if branches, loop body, lambdas). */
void core_each_body(const CoreExp *exp, void (*visit)(void *context, const CoreBody *body),
                    void *context);
/* Calls `visit` for each name used in the statement but bound outside it, once or more. */
void core_each_free(const CoreStm *stm, void (*visit)(void *context, CoreName *name),
                    void *context);
/* Calls `visit` for each array that the statement consumes [PLDI 3], or may: of UPDATE, SCATTER, HIST, unique state of a LOOP,
   arguments of APPLY, and in branches of an IF, where these may be names bound there. */
void core_each_consumed(const CoreStm *stm, void (*visit)(void *context, CoreAtom array),
                        void *context);
bool core_is_view(CoreExpKind kind); /* INDEX (of a row: the result has rank > 0), IOTA, REPLICATE,
                                        REARRANGE ... PAD */
/* A SLICE that takes neighbours along all axes. */
bool core_is_stretch(const CoreExp *slice);
bool core_is_effect(CoreExpKind kind); /* PRINT ... BENCH */
/* DEVICE of one that does one thing after the other; negative: there is no such name. */
int64_t core_device_least(const char *name);
/* Whether the expression, or a body inside it, has an effect, or calls a function, which may have. */
bool core_has_effect(const CoreExp *exp);
/* An assertion, effect or endless loop stands in it: what can fail is not to be moved in front of it. */
bool core_may_fail(const CoreStm *stm);
bool core_may_fail_in(const CoreBody *body);
/* The last stage of the assertions of a SOAC's function with that body; not of SOACs in it. */
unsigned core_last_stage(const CoreBody *body);
/* For each function of the program, whether it is called in a SOAC's function, or by such ones. It may be inlined there, so that
   there is nothing to ask of the DEVICE in it. */
const bool *core_are_of_elements(Compilation *c, const CoreProgram *program);
size_t core_count(const CoreProgram *program); /* number of statements, inner ones included */
size_t core_count_in(const CoreBody *body);    /* the same of a body */
/* [core/branches.c] The array whose memory result k of an IF or LOOP is, whichever way it goes; NULL: it has its own. */
const CoreName *core_root(const CoreStm *stm, size_t k);
/* The same, where the loop, and loops inside, leave it there in each step: they make no new array of that state. */
const CoreName *core_kept_root(const CoreStm *stm, size_t k);
/* The array from outside of the body whose memory the result is, perhaps updated on the way; NULL: it is none. */
const CoreName *core_root_in(const CoreBody *body, CoreAtom result);
/* The statement of the body that binds the name; NULL: none does. */
const CoreStm *core_binder(const CoreBody *body, const CoreName *name);
/* A statement of the body binds the name (NULL: none does). */
bool core_binds(const CoreBody *body, const CoreName *name);
/* The statement does. */
bool core_stm_binds(const CoreStm *stm, const CoreName *name);
/* The type, of one of the statement's results, mentions another of them. */
bool core_is_existential(const CoreStm *stm, CoreType type);
/* A statement of the body, or one inside, uses the name; that it is a result is no use. */
bool core_uses(const CoreBody *body, const CoreName *name);
/* How often statements and results of the body mention the name, at least where that is once. */
size_t core_count_uses(const CoreBody *body, const CoreName *name);
/* The same of all names in one walk, added to uses: CoreName -> size_t; and of one of these, 0 where it is not there. */
void core_count_all_uses(Arena *arena, const CoreBody *body, PointerMap *uses);
size_t core_uses_of(const PointerMap *uses, const CoreName *name);
/* The statement does, or one inside. */
bool core_stm_uses(const CoreStm *stm, const CoreName *name);
/* Of bools, x is not y: the body has it as `not y`, or as the opposite comparison. */
bool core_is_opposite(const CoreBody *body, CoreAtom x, CoreAtom y);
/* An IF that gives scalars, both branches of which can be computed before one is chosen, for they are short. */
bool core_is_selection(const CoreStm *stm);

/* ---- the rest ------------------------------------------------------------------------------ */

/* The text form; what it prints, core_parse reads back. */
void core_print(Compilation *c, Text *out, const CoreProgram *program);
void core_print_stm(Compilation *c, Text *out, const CoreStm *stm, int indent);
char *core_type_text(Compilation *c, CoreType type);
char *core_atom_text(Compilation *c, CoreAtom atom);
/* Reads the internal (A-normal) text form; NULL after reporting diagnostics. */
CoreProgram *core_parse(Compilation *c, const SourceFile *source);
/* Scopes, types, sizes (equal where they are the same atom, else a diagnostic), uniqueness; reports
   every error as a diagnostic ("TYPE ERROR") and says whether there was none. */
bool core_check(Compilation *c, const CoreProgram *program);

/* ---- simplification (core/simplify) -------------------------------------------------------- */

/* One enumerator a row of simplify/rules.def: CORE_RULE_FOLD, ... */
typedef enum CoreRule {
#define CORE_RULE(enumerator, name, source) CORE_RULE_##enumerator,
#include "core/simplify/rules.def"
#undef CORE_RULE
    CORE_RULE_COUNT
} CoreRule;

const char *core_rule_text(CoreRule rule);   /* "operator of constants folded" */
const char *core_rule_source(CoreRule rule); /* "L0 5.3" */
/* Calls replaced by the callee's body [L0 5.1], all of them, and functions that are not entries
   gone, unless the program would become too large (simplify/inline.c). NULL after a LIMIT ERROR where
   it does nevertheless. counts: NULL or CORE_RULE_COUNT
   counters of how often each rule was applied, which are added to. */
CoreProgram *core_inline(Compilation *c, const CoreProgram *program, size_t *counts);
/* More elements than this no array has, however virtual: products of extents do not wrap. */
#define CORE_MOST_ELEMENTS (INT64_C(1) << 48)
/* [core/simplify/limits.c] The program, in which an array that would have more is a LIMIT ERROR. */
CoreProgram *core_limit_extents(Compilation *c, const CoreProgram *program);
/* The first-order optimisations [L0 5, 6, 9] to a fixed point; calls are inlined first. The result
   passes core_check, prints the same and fails with the same errors. NULL as core_inline. */
CoreProgram *core_simplify_counted(Compilation *c, const CoreProgram *program, size_t *counts);
CoreProgram *core_simplify(Compilation *c, const CoreProgram *program);
/* [core/simplify/lengths.c] A simplified program that has versions for arrays from outside which are of one length where they
   meet; simplified, or the program itself. Counts as core_simplify_counted. */
const CoreProgram *core_assume_lengths(Compilation *c, const CoreProgram *program, size_t *counts);
/* [core/simplify/accumulate.c] Loops that only accumulate scalars, as reductions. */
const CoreProgram *core_accumulate(Compilation *c, const CoreProgram *program, size_t *counts);
/* [core/simplify/whole_counts.c] Counts that loops keep as reals, as integers. */
const CoreProgram *core_whole_counts(Compilation *c, const CoreProgram *program, size_t *counts);
/* As core_simplify_counted, with rules for what machines are quick at; the last of all. */
CoreProgram *core_simplify_last(Compilation *c, const CoreProgram *program, size_t *counts);

/* [core/simplify/aliases.c] Which arrays of a function may be in one memory. */
typedef struct CoreAliases CoreAliases;
CoreAliases *core_aliases(Compilation *c, const CoreFunction *function);
bool core_may_share(CoreAliases *aliases, CoreAtom x, CoreAtom y);

/* ---- fusion (core/fuse) -------------------------------------------------------------------- */

/* A simplified program without calls, with fewer passes over memory [L0 7, 8], [REDO 3]; simplified
   again. The result passes core_check, prints the same and fails with the same errors. NULL and
   counts as core_simplify_counted. */
CoreProgram *core_fuse(Compilation *c, const CoreProgram *program, size_t *counts);

/* One enumerator a row of fuse/reasons.def: CORE_REASON_SCAN, ... */
typedef enum CoreReason {
#define CORE_REASON(enumerator, text) CORE_REASON_##enumerator,
#include "core/fuse/reasons.def"
#undef CORE_REASON
    CORE_REASON_COUNT
} CoreReason;

/* A producer and a consumer of one of its arrays, as they were when the pass decided. */
typedef struct CoreFusion {
    const CoreStm *producer, *consumer;
    const CoreName *array;
    CoreRule rule;          /* done: by this rule */
    CoreReason rows;        /* not done: why they are not one SOAC */
    CoreReason elements;    /* not done: why the consumer does not compute the elements it reads */
    const CoreStm *between; /* of rows; may be NULL */
    unsigned cost, places;  /* of elements: operations an element, readers */
    bool inner;             /* both stand in the function of a SOAC: within one work-item */
    bool beside;            /* neither takes something of the other: both read the array */
} CoreFusion;

/* What core_fuse did, in order, and what it left when it was done. */
typedef struct CoreFusionLog {
    VEC(CoreFusion) done, left;
} CoreFusionLog;

/* As core_fuse; its decisions go to the log. */
CoreProgram *core_fuse_logged(Compilation *c, const CoreProgram *program, size_t *counts,
                              CoreFusionLog *log);
/* A fused program for one processor: scans and what takes their rows in one loop [PLDI 4];
   simplified. Results and counts as core_fuse. */
CoreProgram *core_stream(Compilation *c, const CoreProgram *program, size_t *counts);
/* The same in what each work-item does, of a flattened program for a device. */
CoreProgram *core_stream_items(Compilation *c, const CoreProgram *program, size_t *counts);
/* A fused, flattened program with what the backend does in one kernel or loop beside each other:
   scatters and what makes their rows, and, if `scans` (for kernels), scans and what takes theirs;
   simplified. Results and counts as core_fuse; log: NULL, or what core_fuse_logged has noted, which
   is added to. */
CoreProgram *core_pair(Compilation *c, const CoreProgram *program, bool scans, size_t *counts,
                       CoreFusionLog *log);
/* The text of reasons.def, filled in. */
const char *core_reason_text(Compilation *c, CoreReason reason, const CoreFusion *fusion);
/* "map", "reduce", "map, reduce and scan", "filter", "loop", ...: what kind of thing a statement
   is, in the words of core's text form. */
const char *core_stm_kind(Compilation *c, const CoreStm *stm);

/* ---- flattening (core/flatten) ------------------------------------------------------------- */

/* [core/flatten/updates.c] A simplified program in which elements of rows are written by choices, so that no work-item has a
   row for itself; simplified. Results and counts as core_flatten. */
CoreProgram *core_choose_updates(Compilation *c, const CoreProgram *program, size_t *counts);
/* [core/flatten/unroll.c] A fused program where reductions of a few rows that are read by position are written
   out; simplified. More rows where it is for sequential C. Results and counts as core_flatten. */
CoreProgram *core_unroll(Compilation *c, const CoreProgram *program, bool is_sequential,
                         size_t *counts);
/* A SOAC of a kernel with what sequential C has written out in its function: statements, of which the last binds what this one
   does. `views` as in core_strip. NULL where nothing more is written out. */
const CoreBody *core_write_out_windows(Compilation *c, const CoreStm *stm, const PointerMap *views);
/* A fused program whose map nests are perfect where that pays [PLDI 5.1]; simplified. The result
   passes core_check, prints the same and fails with the same errors. Counts as
   core_simplify_counted; log as core_pair. */
CoreProgram *core_flatten(Compilation *c, const CoreProgram *program, size_t *counts,
                          CoreFusionLog *log);

/* [core/flatten/groups.c] How many elements each array of this rank whose size is no constant may have in a group's
   function, which flattening has made, so that all arrays have room in local memory; matrices with those between their
   rows. */
int64_t core_group_capacity(const CoreBody *body, int rank);

/* ---- locality (core/locality) --------------------------------------------------------------- */

/* Which orders core_find_orders finds: of a program that is to be flattened, those that are no part of a SOAC's function; all,
   after that; all of a sequential program. */
typedef enum CoreWhichOrders {
    CORE_ORDERS_OF_HOST,
    CORE_ORDERS_ALL,
    CORE_ORDERS_SEQUENTIAL
} CoreWhichOrders;
/* [core/locality/orders.c] ORDER as comparisons of each with each or as DIGIT_SORTs; simplified. The result passes core_check.
   Counts as core_simplify_counted. */
CoreProgram *core_find_orders(Compilation *c, const CoreProgram *program, CoreWhichOrders which,
                              size_t *counts);
/* [core/locality/capacities.c] A flattened program in whose loops the host need not know how many rows filters keep, where
   that is bounded; simplified. The result passes core_check. Counts as core_simplify_counted. */
CoreProgram *core_bound_sizes(Compilation *c, const CoreProgram *program, size_t *counts);
/* [core/locality/in_place.c] Maps that are made where updates put them, the last of all; for devices, where the host need not
   wait for where that is. Counts as core_simplify_counted. */
CoreProgram *core_write_in_place(Compilation *c, const CoreProgram *program, bool for_devices,
                                 size_t *counts);
/* [core/locality/loop_scalars.c] A flattened program whose loops do not have the host wait for scalars that the
   device makes of them. The result passes core_check. Counts as core_simplify_counted. */
CoreProgram *core_keep_loop_scalars(Compilation *c, const CoreProgram *program, size_t *counts);
/* [core/locality/branches.c] The same, branches of level @grid where the host would wait for the condition in each
   step of a loop. */
CoreProgram *core_choose_on_device(Compilation *c, const CoreProgram *program, size_t *counts);
/* An array of this type has no more elements than one that is there whichever branch of this IF is taken, or few. */
bool core_is_memory_for(Compilation *c, const CoreStm *branches, CoreType type);

/* [core/locality/in_turn.c] A program without calls, for one processor, whose indexed assignments write one value after the
   other. Counts as core_simplify_counted. The result passes core_check. */
const CoreProgram *core_assign_in_turn(Compilation *c, const CoreProgram *program, size_t *counts);
/* [core/locality/tables.c] A fused program for one processor: folds over bits of an index are taken
   apart, what the last bits select is a table. The result passes core_check. */
CoreProgram *core_tabulate_bits(Compilation *c, const CoreProgram *program);
/* A redomap of such folds over strips of 256 rows, the last bits folded for each row: statements, of
   which the last is the redomap and binds what this one does. `views` as in core_strip. NULL where it
   has no such folds. */
const CoreBody *core_strips_of_bits(Compilation *c, const CoreStm *stm, const PointerMap *views);

/* Some neighbouring elements of the innermost map of a nest, computed together. */
typedef struct CoreStrip {
    unsigned width; /* elements */
    /* Where a strip begins: first + offsets[0] + offsets[1] is a multiple of the width. */
    CoreAtom offsets[2];
    /* Names from outside, and what they are called here. */
    size_t parameter_count;
    CoreName *const *outside, *const *parameters;
    CoreName *const *rows;  /* indices of the outer maps: one each */
    const CoreBody *before; /* statements that do not need `first` */
    CoreName *first;        /* index of the first element */
    const CoreBody *test;   /* its result: there are so many elements */
    const CoreBody *body;   /* its results: those of the first element, then of the second, ... */
} CoreStrip;

/* A strip of the last of these SOACs' maps; each is the last statement of the function before it.
   `views` (CoreName -> CoreStm) defines views outside. NULL where a strip would save little, or
   cannot be. */
const CoreStrip *core_strip(Compilation *c, size_t count, const CoreSoac *const *soacs,
                            const PointerMap *views, unsigned width);

#endif
